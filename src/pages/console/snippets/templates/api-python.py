# pip install flask 'pyjwt[crypto]', then start this file: it answers whoever brings an access token for this API.
import jwt
from flask import Flask, jsonify, request

ISSUER = '{{issuer}}'
API = '{{audience}}'
CHALLENGE = '{{challenge}}'
app = Flask(__name__)
keys = jwt.PyJWKClient(ISSUER + '/.well-known/jwks.json')


def claims_of(token):
    """What an access token for this API says; raises for every other token."""
    decoded = jwt.decode_complete(
        token,
        keys.get_signing_key_from_jwt(token),
        algorithms=['ES256'],
        issuer=ISSUER,
        audience=API,
        options={'require': ['exp', 'sub', 'client_id']},
    )
    if decoded['header'].get('typ') != 'at+jwt':  # an id_token is no access token (RFC 9068, section 4)
        raise jwt.InvalidTokenError('not an access token')
    return decoded['payload']


def refuse(status, error=None):
    said = f'error="{error}", ' if error else ''
    return jsonify(error=error), status, {'WWW-Authenticate': f'Bearer {said}{CHALLENGE}'}


@app.get('{{metadataPath}}')
def metadata():
    """Where programs learn who gives tokens for this API (RFC 9728)."""
    document = jsonify(resource=API, authorization_servers=[ISSUER], scopes_supported='{{scopes}}'.split())
    return document, 200, {'Access-Control-Allow-Origin': '*'}


@app.get('{{apiPath}}')
def answer():
    scheme, _, token = request.headers.get('Authorization', '').partition(' ')
    if scheme.lower() != 'bearer':
        return refuse(401)
    try:
        claims = claims_of(token)
    except jwt.PyJWTError as error:
        app.logger.error('%s', error)
        return refuse(401, 'invalid_token')
    scopes = claims.get('scope', '').split()
    if '{{scope}}' not in scopes:
        return refuse(403, 'insufficient_scope')
    # Here you answer what this person, this application and these scopes may have.
    return jsonify(sub=claims['sub'], client_id=claims['client_id'], scopes=scopes)


if __name__ == '__main__':
    app.run(port={{apiPort}})
