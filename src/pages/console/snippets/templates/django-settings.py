# pip install django mozilla-django-oidc, then add this to your settings, with CLIENT_SECRET in the environment.
# While you develop: python manage.py runserver {{port}}
import os

INSTALLED_APPS += ['mozilla_django_oidc']
AUTHENTICATION_BACKENDS = ['sign_in.SignInBackend', 'django.contrib.auth.backends.ModelBackend']
LOGIN_URL = 'oidc_authentication_init'
LOGIN_REDIRECT_URL = '/'

OIDC_RP_CLIENT_ID = '{{clientId}}'
OIDC_RP_CLIENT_SECRET = os.environ['CLIENT_SECRET']
OIDC_RP_SCOPES = '{{scope}}'
OIDC_RP_SIGN_ALGO = '{{idTokenAlgorithm}}'
OIDC_USE_PKCE = True
OIDC_OP_AUTHORIZATION_ENDPOINT = '{{issuer}}/oauth/authorize'
OIDC_OP_TOKEN_ENDPOINT = '{{issuer}}/oauth/token'
OIDC_OP_USER_ENDPOINT = '{{issuer}}/oauth/userinfo'
OIDC_OP_JWKS_ENDPOINT = '{{issuer}}/.well-known/jwks.json'
