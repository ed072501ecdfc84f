# pip install authlib flask requests, then start this file: it answers whoever brings an access token for this API.
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
    """Takes access tokens for this API, and nothing else (RFC 9068, section 4)."""

    keys, fetched = None, 0

    def authenticate_token(self, token_string):
        known = self.keys
        try:
            return super().authenticate_token(token_string)
        except InvalidTokenError:
            if self.get_jwks(10) is known:
                raise
            return super().authenticate_token(token_string)  # its key may be newer than those we knew

    def get_jwks(self, age=300):
        if self.keys is None or time.monotonic() - self.fetched > age:
            answer = requests.get(f'{ISSUER}/.well-known/jwks.json', timeout=5)
            answer.raise_for_status()
            # Access tokens are signed with ES256; Authlib takes whatever algorithm these keys are for.
            self.keys = KeySet([key for key in KeySet.import_key_set(answer.json()) if key.alg == 'ES256'])
            self.fetched = time.monotonic()
        return self.keys


class Protector(ResourceProtector):
    def raise_error_response(self, error):
        """Says where to get a token (RFC 9728), which Authlib leaves out."""
        said = f'error="{error.error}", ' if error.error in ('invalid_token', 'insufficient_scope') else ''
        refusal = make_response(jsonify(error=error.error), error.status_code)
        refusal.headers['WWW-Authenticate'] = f'Bearer {said}{CHALLENGE}'
        abort(refusal)


protected = Protector()
protected.register_token_validator(AccessTokens(ISSUER, API))


@app.get('{{metadataPath}}')
def metadata():
    """Where programs learn who gives tokens for this API (RFC 9728)."""
    document = jsonify(resource=API, authorization_servers=[ISSUER], scopes_supported='{{scopes}}'.split())
    return document, 200, {'Access-Control-Allow-Origin': '*'}


@app.get('{{apiPath}}')
@protected('{{scope}}')
def answer():
    # Here you answer what this person, this application and these scopes may have.
    return jsonify(
        sub=current_token['sub'],
        client_id=current_token['client_id'],
        scopes=current_token['scope'].split(),
    )


if __name__ == '__main__':
    app.run(port={{apiPort}})
