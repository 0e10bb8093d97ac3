<?php
// php -S 127.0.0.1:4242 receiver.php — PHP 8.0 or later, no packages; or behind any web server.
declare(strict_types=1);

const TOLERANCE_SECONDS = 5 * 60;
$secret = getenv('SVC_WEBHOOK_SECRET') ?: throw new RuntimeException('Set SVC_WEBHOOK_SECRET.');

$body = file_get_contents('php://input'); // The raw bytes, verified before they are parsed.
$timestamp = $_SERVER['HTTP_SERVICE_TIMESTAMP'] ?? '';
$signatures = $_SERVER['HTTP_SERVICE_SIGNATURE'] ?? '';
if (!isAuthentic($body, $timestamp, $signatures, $secret)) {
    http_response_code(400);
    exit;
}
$event = json_decode($body, true)['data'];
$isNew = isNew($event['id']); // Delivery is at least once.
http_response_code(204); // Accepted. The work comes after the response:
if (function_exists('fastcgi_finish_request')) {
    fastcgi_finish_request(); // PHP-FPM sends it here, `php -S` at the end of the script.
}
if ($isNew) {
    file_put_contents('php://stdout', "processed {$event['type']} {$event['id']}\n");
}

function isAuthentic(string $body, string $timestamp, string $signatures, string $secret): bool
{
    $sentAt = strtotime($timestamp);
    if ($sentAt === false || abs(time() - $sentAt) > TOLERANCE_SECONDS) {
        return false;
    }
    $expected = 'v1=' . hash_hmac('sha256', "$timestamp.$body", $secret);
    foreach (explode(',', $signatures) as $text) { // Several signatures during a secret rotation.
        if (hash_equals($expected, trim($text))) {
            return true;
        }
    }
    return false;
}

// PHP keeps no state in memory between requests. In production: a unique column of a database, written in one
// transaction with the job. Here: a file that only one request can create.
function isNew(string $eventId): bool
{
    $folder = sys_get_temp_dir() . '/svc-receiver-seen';
    @mkdir($folder);
    return @fopen($folder . '/' . basename($eventId), 'x') !== false;
}
