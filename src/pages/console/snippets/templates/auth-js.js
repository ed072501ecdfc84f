// For NextAuth(config), ExpressAuth(config), SvelteKitAuth(config) …, of Auth.js v5, with what is in .env and
// AUTH_SECRET there. Start it where the callback URL leads to: next dev --port {{port}}. Next.js reads .env,
// others with: node --env-file=.env app.mjs
export const config = {
  providers: [
    {
      id: '{{callbackId}}',
      name: '{{serviceName}}',
      type: 'oidc',
      issuer: process.env.ISSUER,
      clientId: process.env.CLIENT_ID,
      clientSecret: process.env.CLIENT_SECRET,
      checks: ['pkce', 'state'], // Auth.js sends no state of its own accord
      authorization: { params: { scope: process.env.SCOPE } },
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
