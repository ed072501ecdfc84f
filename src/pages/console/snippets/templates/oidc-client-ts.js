import { InMemoryWebStorage, UserManager, WebStorageStateStore } from 'oidc-client-ts';

const { VITE_ISSUER, VITE_CLIENT_ID, VITE_REDIRECT_URI, VITE_SCOPE } = import.meta.env;
const manager = new UserManager({
  authority: VITE_ISSUER,
  client_id: VITE_CLIENT_ID,
  redirect_uri: VITE_REDIRECT_URI,
  scope: VITE_SCOPE,
  // Name, email and picture come from userinfo.
  loadUserInfo: true,
  // Keeps tokens out of web storage.
  userStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }),
});

document.querySelector('.service-signin-btn').addEventListener('click', () => manager.signinRedirect());

if (new URLSearchParams(location.search).has('state')) {
  const result = document.querySelector('#result');
  try {
    // Checks the state, and exchanges the code with PKCE.
    const user = await manager.signinCallback();
    // Find or create your user by user.profile.sub here.
    result.textContent = `Hello ${user.profile.name}`;
  } catch (error) {
    result.textContent = `Sign-in failed (${error.message}). Try again.`;
  }
  // Removes the code from the URL.
  history.replaceState(null, '', location.pathname);
}
