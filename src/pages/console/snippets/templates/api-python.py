# pip install flask 'pyjwt[crypto]', then start this file: it answers whoever brings an access token for this API.
import jwt
from flask import Flask, jsonify, request

app = Flask(__name__)
keys = jwt.PyJWKClient('{{issuer}}/.well-known/jwks.json')


def claims_of(header):
    """What an access token for this API says; raises for every other token."""
    scheme, _, token = header.partition(' ')
    if scheme.lower() != 'bearer':
        raise jwt.InvalidTokenError('no access token')
    decoded = jwt.decode_complete(
        token,
        keys.get_signing_key_from_jwt(token),
        algorithms=['ES256'],
        issuer='{{issuer}}',
        audience='{{audience}}',
        options={'require': ['exp', 'sub', 'client_id']},
    )
    if decoded['header'].get('typ') != 'at+jwt':  # an id_token is no access token (RFC 9068, section 4)
        raise jwt.InvalidTokenError('not an access token')
    return decoded['payload']


@app.get('/')
def answer():
    try:
        claims = claims_of(request.headers.get('Authorization', ''))
    except jwt.PyJWTError as error:
        app.logger.error('%s', error)
        return '', 401, {'WWW-Authenticate': 'Bearer error="invalid_token"'}
    # Here you answer what this person, this application and these scopes may have.
    return jsonify(sub=claims['sub'], client_id=claims['client_id'], scopes=claims.get('scope', '').split())


if __name__ == '__main__':
    app.run(port={{apiPort}})
