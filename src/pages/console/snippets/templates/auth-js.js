// For NextAuth(config), ExpressAuth(config), SvelteKitAuth(config) …, of Auth.js v5, with CLIENT_SECRET and AUTH_SECRET in
// the environment. Start it where the callback URL leads to: next dev --port {{port}}
export const config = {
  providers: [
    {
      id: '{{callbackId}}',
      name: '{{serviceName}}',
      type: 'oidc',
      issuer: '{{issuer}}',
      clientId: '{{clientId}}',
      clientSecret: process.env.CLIENT_SECRET,
      checks: ['pkce', 'state'], // Auth.js sends no state of its own accord
      authorization: { params: { scope: '{{scope}}' } },
      idToken: false, // name, email and picture come from userinfo
      profile: (claims) => ({
        id: claims.sub,
        name: claims.name,
        email: claims.email,
        image: claims['{{pictureClaim}}'],
      }),
    },
  ],
};
