<?php
// Serve this file at the callback URL, with CLIENT_SECRET in the environment.
// A request without an authorization response in its query starts a sign-in.
require __DIR__ . '/vendor/autoload.php';

session_start();
$provider = new League\OAuth2\Client\Provider\GenericProvider([
    'clientId' => '{{clientId}}',
    'clientSecret' => getenv('CLIENT_SECRET'),
    'redirectUri' => '{{callback}}',
    'urlAuthorize' => '{{issuer}}/oauth/authorize',
    'urlAccessToken' => '{{issuer}}/oauth/token',
    'urlResourceOwnerDetails' => '{{issuer}}/oauth/userinfo',
    'responseResourceOwnerId' => 'sub',
    'scopes' => '{{scope}}',
    'scopeSeparator' => ' ',
    'pkceMethod' => 'S256',
]);

if (!isset($_GET['state'])) {
    header('Location: ' . $provider->getAuthorizationUrl(), true, 303);
    $_SESSION['sign_in'] = ['state' => $provider->getState(), 'verifier' => $provider->getPkceCode()];
    exit;
}

$sent = $_SESSION['sign_in'] ?? null;
unset($_SESSION['sign_in']);
if ($sent === null || !hash_equals($sent['state'], $_GET['state']) || isset($_GET['error'])) {
    http_response_code(400);
    exit('Sign-in failed. Try again.');
}
$provider->setPkceCode($sent['verifier']);
$token = $provider->getAccessToken('authorization_code', ['code' => $_GET['code'] ?? '']);
$profile = $provider->getResourceOwner($token)->toArray();
// Start your own session here: find or create your user by $profile['sub'].
session_regenerate_id(true);
header('Content-Type: application/json');
echo json_encode($profile);
