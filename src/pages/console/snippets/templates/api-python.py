# Serves only requests with an access token for this API.
import time

import requests
from authlib.integrations.flask_oauth2 import ResourceProtector, current_token
from authlib.oauth2.rfc6750 import InvalidTokenError
from authlib.oauth2.rfc9068 import JWTBearerTokenValidator
from flask import Flask, abort, jsonify, make_response
from joserfc.jwk import KeySet

ISSUER = '{{issuer}}'
API = '{{audience}}'
CHALLENGE = '{{challenge}}'
app = Flask(__name__)


class AccessTokens(JWTBearerTokenValidator):
    """Accepts only access tokens for this API (RFC 9068, section 4)."""

    keys, fetched = None, 0

    def authenticate_token(self, token_string):
        known = self.keys
        try:
            return super().authenticate_token(token_string)
        except InvalidTokenError:
            if self.get_jwks(10) is known:
                raise
            return super().authenticate_token(token_string)  # retries with newly fetched keys

    def get_jwks(self, age=300):
        if self.keys is None or time.monotonic() - self.fetched > age:
            response = requests.get(f'{ISSUER}/.well-known/jwks.json', timeout=5)
            response.raise_for_status()
            # Access tokens are signed with ES256. Authlib would accept any algorithm that these keys support.
            self.keys = KeySet([key for key in KeySet.import_key_set(response.json()) if key.alg == 'ES256'])
            self.fetched = time.monotonic()
        return self.keys


class Protector(ResourceProtector):
    def raise_error_response(self, error):
        """Adds the challenge with the metadata URL (RFC 9728), which Authlib omits."""
        error_parameter = f'error="{error.error}", ' if error.error in ('invalid_token', 'insufficient_scope') else ''
        response = make_response(jsonify(error=error.error), error.status_code)
        response.headers['WWW-Authenticate'] = f'Bearer {error_parameter}{CHALLENGE}'
        abort(response)


protected = Protector()
protected.register_token_validator(AccessTokens(ISSUER, API))


@app.get('{{metadataPath}}')
def metadata():
    """Protected resource metadata, which names the issuer of tokens for this API (RFC 9728)."""
    document = jsonify(resource=API, authorization_servers=[ISSUER], scopes_supported='{{scopes}}'.split())
    return document, 200, {'Access-Control-Allow-Origin': '*'}


@app.get('{{apiPath}}')
@protected('{{scope}}')
def protected_resource():
    # Respond with the data that this user (sub), client (client_id) and scope may access.
    return jsonify(
        sub=current_token['sub'],
        client_id=current_token['client_id'],
        scopes=current_token['scope'].split(),
    )


if __name__ == '__main__':
    app.run(port={{apiPort}})
