// npm install express express-session passport passport-openidconnect, then start your application with CLIENT_SECRET in its environment
// where the callback URL leads to: app.listen({{port}})
import OpenIDConnectStrategy from 'passport-openidconnect';

const strategy = new OpenIDConnectStrategy(
  {
    issuer: '{{issuer}}',
    authorizationURL: '{{issuer}}/oauth/authorize',
    tokenURL: '{{issuer}}/oauth/token',
    userInfoURL: '{{issuer}}/oauth/userinfo',
    clientID: '{{clientId}}',
    clientSecret: process.env.CLIENT_SECRET,
    callbackURL: '{{callback}}',
    scope: '{{scopeBesideOpenid}}', // it adds openid by itself, and always sends a state
    nonce: true,
    skipUserProfile: false, // name and email come from userinfo
  },
  // Here you find your user by profile.id, or create one.
  (_issuer, profile, done) => done(null, profile),
);

/** Adds sign-in to an Express application that has express-session and passport.session(). */
export function addSignIn(app, passport) {
  passport.use('sign-in', strategy);
  app.get('/login', passport.authenticate('sign-in'));
  app.get(
    '{{callbackPath}}',
    passport.authenticate('sign-in', { successRedirect: '/', failureRedirect: '/login' }),
  );
}
