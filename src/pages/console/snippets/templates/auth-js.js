// For NextAuth(config), ExpressAuth(config), SvelteKitAuth(config) … in Auth.js v5. Set AUTH_SECRET and the other
// variables in .env. Next.js reads .env itself. With other frameworks, run node --env-file=.env app.mjs
export const config = {
  providers: [
    {
      id: '{{callbackId}}',
      name: '{{serviceName}}',
      type: 'oidc',
      issuer: process.env.ISSUER,
      clientId: process.env.CLIENT_ID,
      clientSecret: process.env.CLIENT_SECRET,
      // Auth.js sends no state by default.
      checks: ['pkce', 'state'],
      authorization: { params: { scope: process.env.SCOPE } },
      // Name, email and picture come from userinfo.
      idToken: false,
      profile: (claims) => ({
        id: claims.sub,
        name: claims.name,
        email: claims.email,
        image: claims['{{pictureClaim}}'],
      }),
    },
  ],
};
