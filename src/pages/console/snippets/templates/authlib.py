import os
from urllib.parse import urlsplit

from authlib.integrations.flask_client import OAuth, OAuthError
from flask import Flask, jsonify

app = Flask(__name__)
callback = os.environ['REDIRECT_URI']
app.secret_key = os.environ['SESSION_SECRET']  # signs the cookie with state, nonce and PKCE verifier
sign_in = OAuth(app).register(
    'sign_in',
    server_metadata_url=os.environ['ISSUER'] + '/.well-known/openid-configuration',
    client_id=os.environ['CLIENT_ID'],
    client_secret=os.environ['CLIENT_SECRET'],
    client_kwargs={'scope': os.environ['SCOPE'], 'code_challenge_method': 'S256'},
)


@app.get('/login')
def login():
    return sign_in.authorize_redirect(callback)


@app.get(urlsplit(callback).path)
def finish_sign_in():
    try:
        token = sign_in.authorize_access_token()  # checks state, nonce and id_token
    except OAuthError as error:
        app.logger.error('%s: %s', error.error, error.description)
        return 'Sign-in failed. Try again.', 400
    profile = sign_in.userinfo(token=token)
    if profile['sub'] != token['userinfo']['sub']:  # must match the id_token
        return 'Sign-in failed. Try again.', 400
    # Start your own session here: find or create your user by profile['sub'].
    return jsonify(profile)


if __name__ == '__main__':
    app.run(port={{port}})
