// Your application must listen on the port of the callback URL: app.listen({{port}}).
import OAuth2Strategy from 'passport-oauth2';

const issuer = process.env.ISSUER;
const strategy = new OAuth2Strategy(
  {
    authorizationURL: `${issuer}/oauth/authorize`,
    tokenURL: `${issuer}/oauth/token`,
    clientID: process.env.CLIENT_ID,
    clientSecret: process.env.CLIENT_SECRET,
    callbackURL: process.env.REDIRECT_URI,
    scope: process.env.SCOPE,
    // The library stores the state in the session.
    state: true,
    pkce: true,
  },
  // Find or create your user by profile.sub here.
  (_accessToken, _refreshToken, profile, done) => done(null, profile),
);

strategy.userProfile = function (accessToken, done) {
  this._oauth2.useAuthorizationHeaderforGET(true);
  this._oauth2.get(`${issuer}/oauth/userinfo`, accessToken, (error, body) =>
    error ? done(error) : done(null, JSON.parse(body)),
  );
};

/** Adds sign-in to an Express application that uses express-session and passport.session(). */
export function addSignIn(app, passport) {
  passport.use('sign-in', strategy);
  app.get('/login', passport.authenticate('sign-in'));
  app.get(
    new URL(process.env.REDIRECT_URI).pathname,
    passport.authenticate('sign-in', { successRedirect: '/', failureRedirect: '/login' }),
  );
}
