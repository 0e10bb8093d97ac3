<?php

function verify(string $body): ?string
{
    $timestamp = $_SERVER['HTTP_SERVICE_TIMESTAMP'] ?? '';
    $signatures = $_SERVER['HTTP_SERVICE_SIGNATURE'] ?? null;
    if (!$signatures) {
        return 'Missing signature';
    }
    $expected = 'v1=' . hash_hmac('sha256', "$timestamp.$body", getenv('SVC_WEBHOOK_SECRET'));
    $matching = array_filter(explode(',', $signatures), fn ($text) => hash_equals($expected, trim($text)));
    if (!$matching) {
        return 'Invalid signature';
    }
    $sentAt = DateTimeImmutable::createFromFormat('!Y-m-d\TH:i:s\Z', $timestamp, new DateTimeZone('UTC'));
    if (!$sentAt || abs(time() - $sentAt->getTimestamp()) > 300) {
        return 'Timestamp too old';
    }
    return null;
}

function process(stdClass $event): string
{
    return $event->data->id;
}

if ($_SERVER['REQUEST_METHOD'] !== 'POST' || $_SERVER['REQUEST_URI'] !== '/webhooks') {
    http_response_code(404);
    exit;
}
$body = file_get_contents('php://input');
$problem = verify($body);
if ($problem) {
    http_response_code(401);
    exit($problem);
}
process(json_decode($body, false, 2000));
http_response_code(204);
