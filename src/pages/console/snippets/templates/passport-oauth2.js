// npm install express express-session passport passport-oauth2, then start your application
// where the callback URL leads to, app.listen({{port}}), with what is in .env: node --env-file=.env app.mjs
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
    state: true, // a random state, kept in the session
    pkce: true,
  },
  // Here you find your user by profile.sub, or create one.
  (_accessToken, _refreshToken, profile, done) => done(null, profile),
);

strategy.userProfile = function (accessToken, done) {
  this._oauth2.useAuthorizationHeaderforGET(true);
  this._oauth2.get(`${issuer}/oauth/userinfo`, accessToken, (error, body) =>
    error ? done(error) : done(null, JSON.parse(body)),
  );
};

/** Adds sign-in to an Express application that has express-session and passport.session(). */
export function addSignIn(app, passport) {
  passport.use('sign-in', strategy);
  app.get('/login', passport.authenticate('sign-in'));
  app.get(
    new URL(process.env.REDIRECT_URI).pathname,
    passport.authenticate('sign-in', { successRedirect: '/', failureRedirect: '/login' }),
  );
}
