# config/initializers/omniauth.rb, with CLIENT_SECRET in the environment. Add to the Gemfile:
# gem 'omniauth_openid_connect' and gem 'omniauth-rails_csrf_protection'
# Your page starts a sign-in with button_to '…', '/auth/{{callbackId}}', data: { turbo: false }.
Rails.application.config.middleware.use OmniAuth::Builder do
  provider :openid_connect,
           name: '{{callbackId}}',
           issuer: '{{issuer}}',
           scope: '{{scope}}'.split,
           response_type: :code,
           pkce: true, # state and nonce are sent automatically
           client_auth_method: :basic,
           client_signing_alg: :{{idTokenAlgorithm}},
           client_options: {
             identifier: '{{clientId}}',
             secret: ENV.fetch('CLIENT_SECRET'),
             redirect_uri: '{{callback}}',
             authorization_endpoint: '{{issuer}}/oauth/authorize',
             token_endpoint: '{{issuer}}/oauth/token',
             userinfo_endpoint: '{{issuer}}/oauth/userinfo',
             jwks_uri: '{{issuer}}/.well-known/jwks.json'
           }
end
# In the action at {{callbackPath}}, find or create your user by request.env['omniauth.auth'].uid (the sub claim).
