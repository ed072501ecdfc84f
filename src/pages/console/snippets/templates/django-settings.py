# Add this to your settings.
import os

INSTALLED_APPS += ['mozilla_django_oidc']
AUTHENTICATION_BACKENDS = ['sign_in.SignInBackend', 'django.contrib.auth.backends.ModelBackend']
LOGIN_URL = 'oidc_authentication_init'
LOGIN_REDIRECT_URL = '/'

ISSUER = os.environ['ISSUER']
OIDC_RP_CLIENT_ID = os.environ['CLIENT_ID']
OIDC_RP_CLIENT_SECRET = os.environ['CLIENT_SECRET']
OIDC_RP_SCOPES = os.environ['SCOPE']
OIDC_RP_SIGN_ALGO = '{{idTokenAlgorithm}}'
OIDC_USE_PKCE = True
OIDC_OP_AUTHORIZATION_ENDPOINT = ISSUER + '/oauth/authorize'
OIDC_OP_TOKEN_ENDPOINT = ISSUER + '/oauth/token'
OIDC_OP_USER_ENDPOINT = ISSUER + '/oauth/userinfo'
OIDC_OP_JWKS_ENDPOINT = ISSUER + '/.well-known/jwks.json'
