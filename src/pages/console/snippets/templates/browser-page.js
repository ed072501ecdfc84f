// sign-in-page.js: the page's script. The page must also be served at the callback URL.
import { finishSignIn, startSignIn } from './signin.js';

const client = {
  baseUrl: '{{issuer}}',
  clientId: '{{clientId}}',
  redirectUri: '{{callback}}',
};

document
  .querySelector('.service-signin-btn')
  .addEventListener('click', () => startSignIn({ ...client, scope: '{{scope}}' }));

if (new URLSearchParams(location.search).has('state')) {
  const result = document.querySelector('#result');
  try {
    const tokens = await finishSignIn(client);
    history.replaceState(null, '', location.pathname); // removes the code from the URL
    const response = await fetch('{{issuer}}/oauth/userinfo', {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    const profile = await response.json();
    result.textContent = response.ok ? `Hello ${profile.name}` : profile.error_description;
  } catch (error) {
    result.textContent = `Sign-in failed (${error.code ?? error.message}). Try again.`;
  }
}
