# sign_in.py: finds or creates your user for a sign-in.
from django.core.exceptions import SuspiciousOperation
from mozilla_django_oidc.auth import OIDCAuthenticationBackend


class SignInBackend(OIDCAuthenticationBackend):
    """Identifies users by sub, which never changes, unlike the email address."""

    def get_userinfo(self, access_token, id_token, payload):
        claims = super().get_userinfo(access_token, id_token, payload)
        if claims.get('sub') != payload['sub']:  # OpenID Connect Core 5.3.2
            raise SuspiciousOperation('userinfo and id_token have different subs')
        return claims

    def verify_claims(self, claims):
        return 'sub' in claims

    def filter_users_by_claims(self, claims):
        return self.UserModel.objects.filter(username=claims['sub'])

    def create_user(self, claims):
        return self.update_user(self.UserModel.objects.create_user(claims['sub']), claims)

    def update_user(self, user, claims):
        user.first_name = claims.get('name', '')[:150]
        user.email = claims.get('email', '')
        user.save()
        return user
