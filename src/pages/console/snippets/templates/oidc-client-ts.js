import { InMemoryWebStorage, UserManager, WebStorageStateStore } from 'oidc-client-ts';

const { VITE_ISSUER, VITE_CLIENT_ID, VITE_REDIRECT_URI, VITE_SCOPE } = import.meta.env;
const manager = new UserManager({
  authority: VITE_ISSUER,
  client_id: VITE_CLIENT_ID,
  redirect_uri: VITE_REDIRECT_URI,
  scope: VITE_SCOPE,
  loadUserInfo: true, // name, email and picture come from userinfo
  userStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }), // keeps tokens out of web storage
});

document.querySelector('.service-signin-btn').addEventListener('click', () => manager.signinRedirect());

if (new URLSearchParams(location.search).has('state')) {
  const result = document.querySelector('#result');
  try {
    const user = await manager.signinCallback(); // checks state, exchanges the code with PKCE
    // Find or create your user by user.profile.sub here.
    result.textContent = `Hello ${user.profile.name}`;
  } catch (error) {
    result.textContent = `Sign-in failed (${error.message}). Try again.`;
  }
  history.replaceState(null, '', location.pathname); // removes the code from the URL
}
