# An MCP server that requires access tokens.
import asyncio

import jwt  # PyJWT, a dependency of the SDK
from mcp.server import MCPServer
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken, TokenVerifier
from mcp.server.auth.settings import AuthSettings
from mcp.server.transport_security import TransportSecuritySettings

ISSUER = '{{issuer}}'
API = '{{audience}}'
keys = jwt.PyJWKClient(f'{ISSUER}/.well-known/jwks.json')


def decode_token(token):
    """Returns the claims of an access token for this API. Raises for any other token."""
    required = ['exp', 'sub', 'client_id']
    key = keys.get_signing_key_from_jwt(token)
    decoded = jwt.decode_complete(
        token, key, algorithms=['ES256'], issuer=ISSUER, audience=API, options={'require': required}
    )
    if decoded['header'].get('typ') != 'at+jwt':  # rejects id_tokens (RFC 9068, section 4)
        raise jwt.InvalidTokenError('not an access token')
    return decoded['payload']


class Verifier(TokenVerifier):
    async def verify_token(self, token):
        try:
            claims = await asyncio.to_thread(decode_token, token)
        except jwt.PyJWKClientConnectionError:
            raise  # the keys can't be fetched, so the token may be valid
        except jwt.PyJWTError:
            return None
        return AccessToken(
            token=token,
            client_id=claims['client_id'],
            scopes=claims.get('scope', '').split(),
            expires_at=claims['exp'],
            subject=claims['sub'],
        )


# The SDK responds with 401 and 403, and serves the metadata that names the issuer (RFC 9728).
server = MCPServer(
    'my-server',
    token_verifier=Verifier(),
    auth=AuthSettings(
        issuer_url=ISSUER,
        resource_server_url=API,
        required_scopes=['{{scope}}'],
        validate_token_resource=False,  # decode_token() validates it
    ),
)


@server.tool()
def whoami() -> dict:
    """Returns the current user."""
    # Add your tools here. The token identifies the user and the client for which a tool runs.
    token = get_access_token()
    return {'sub': token.subject, 'client_id': token.client_id, 'scopes': token.scopes}


if __name__ == '__main__':
    server.run(
        'streamable-http',
        port={{apiPort}},
        streamable_http_path='{{apiPath}}',
        stateless_http=True,
        # A proxy may forward its own host name, or send this server's.
        transport_security=TransportSecuritySettings(
            allowed_hosts=['{{apiAuthority}}', 'localhost:*', '127.0.0.1:*']
        ),
    )
