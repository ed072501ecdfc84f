// Your application must listen on the port of the callback URL: app.listen({{port}}).
import OpenIDConnectStrategy from 'passport-openidconnect';

const issuer = process.env.ISSUER;
const strategy = new OpenIDConnectStrategy(
  {
    issuer,
    authorizationURL: `${issuer}/oauth/authorize`,
    tokenURL: `${issuer}/oauth/token`,
    userInfoURL: `${issuer}/oauth/userinfo`,
    clientID: process.env.CLIENT_ID,
    clientSecret: process.env.CLIENT_SECRET,
    callbackURL: process.env.REDIRECT_URI,
    // The library adds the openid scope, and always sends state.
    scope: process.env.SCOPE.split(' ').filter((scope) => scope !== 'openid'),
    nonce: true,
    // Name and email come from userinfo.
    skipUserProfile: false,
  },
  // Find or create your user by profile.id here.
  (_issuer, profile, done) => done(null, profile),
);

/** Adds sign-in to an Express application that uses express-session and passport.session(). */
export function addSignIn(app, passport) {
  passport.use('sign-in', strategy);
  app.get('/login', passport.authenticate('sign-in'));
  app.get(
    new URL(process.env.REDIRECT_URI).pathname,
    passport.authenticate('sign-in', { successRedirect: '/', failureRedirect: '/login' }),
  );
}
