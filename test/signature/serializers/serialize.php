<?php
// Writes what json_encode with each option makes of each JSON text on standard input; null for an error.
$payloads = json_decode(file_get_contents('php://stdin'));
$flags = [
    'JSON_UNESCAPED_SLASHES' => JSON_UNESCAPED_SLASHES,
    'JSON_UNESCAPED_UNICODE' => JSON_UNESCAPED_UNICODE,
    'JSON_PRETTY_PRINT' => JSON_PRETTY_PRINT,
    'objects' => 0,
];
$ways = [];
for ($mask = 0; $mask < 1 << count($flags); $mask++) {
    $chosen = array_filter(array_keys($flags), fn($index) => $mask >> array_search($index, array_keys($flags)) & 1);
    $value = array_sum(array_map(fn($name) => $flags[$name], $chosen));
    $name = implode(' with ', array_filter(['json_encode of PHP', implode(', ', $chosen)]));
    $ways[$name] = array_map(function ($text) use ($chosen, $value) {
        $decoded = json_decode($text, !in_array('objects', $chosen));
        if (json_last_error() !== JSON_ERROR_NONE) return null;
        $encoded = json_encode($decoded, $value);
        return $encoded === false ? null : $encoded;
    }, $payloads);
}
echo json_encode(['version' => PHP_VERSION, 'ways' => $ways]);
