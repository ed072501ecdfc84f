# pip install 'mcp>=2', then start this file: an MCP server behind access tokens.
import asyncio

import jwt  # PyJWT, which the SDK brings along
from mcp.server import MCPServer
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken, TokenVerifier
from mcp.server.auth.settings import AuthSettings
from mcp.server.transport_security import TransportSecuritySettings

ISSUER = '{{issuer}}'
API = '{{audience}}'
keys = jwt.PyJWKClient(f'{ISSUER}/.well-known/jwks.json')


def decoded(token):
    """What an access token for this API says; raises for every other token."""
    required = ['exp', 'sub', 'client_id']
    key = keys.get_signing_key_from_jwt(token)
    found = jwt.decode_complete(
        token, key, algorithms=['ES256'], issuer=ISSUER, audience=API, options={'require': required}
    )
    if found['header'].get('typ') != 'at+jwt':  # an id_token is no access token (RFC 9068, section 4)
        raise jwt.InvalidTokenError('not an access token')
    return found['payload']


class Verifier(TokenVerifier):
    async def verify_token(self, token):
        try:
            claims = await asyncio.to_thread(decoded, token)
        except jwt.PyJWKClientConnectionError:
            raise  # no keys to be had: that says nothing of the token
        except jwt.PyJWTError:
            return None
        return AccessToken(
            token=token,
            client_id=claims['client_id'],
            scopes=claims.get('scope', '').split(),
            expires_at=claims['exp'],
            subject=claims['sub'],
        )


# The SDK answers 401 and 403, and serves the document that leads programs to the issuer (RFC 9728).
server = MCPServer(
    'my-server',
    token_verifier=Verifier(),
    auth=AuthSettings(
        issuer_url=ISSUER,
        resource_server_url=API,
        required_scopes=['{{scope}}'],
        validate_token_resource=False,  # decoded() does
    ),
)


@server.tool()
def whoami() -> dict:
    """Says who is asking."""
    # Your tools; the token says for whom and for which application they run.
    token = get_access_token()
    return {'sub': token.subject, 'client_id': token.client_id, 'scopes': token.scopes}


if __name__ == '__main__':
    server.run(
        'streamable-http',
        port={{apiPort}},
        streamable_http_path='{{apiPath}}',
        stateless_http=True,
        # A proxy may pass on the name it was called by, or the one it calls.
        transport_security=TransportSecuritySettings(
            allowed_hosts=['{{apiAuthority}}', 'localhost:*', '127.0.0.1:*']
        ),
    )
