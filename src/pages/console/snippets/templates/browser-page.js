// sign-in-page.js: the page's own script. The page has to be at the callback URL too.
import { finishSignIn, startSignIn } from './signin.js';

const application = {
  baseUrl: '{{issuer}}',
  clientId: '{{clientId}}',
  redirectUri: '{{callback}}',
};

document
  .querySelector('.service-signin-btn')
  .addEventListener('click', () => startSignIn({ ...application, scope: '{{scope}}' }));

if (new URLSearchParams(location.search).has('state')) {
  const result = document.querySelector('#result');
  try {
    const tokens = await finishSignIn(application);
    history.replaceState(null, '', location.pathname); // the code need not stay in the address
    const answer = await fetch('{{issuer}}/oauth/userinfo', {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    const profile = await answer.json();
    result.textContent = answer.ok ? `Hello ${profile.name}` : profile.error_description;
  } catch (error) {
    result.textContent = `Sign-in failed (${error.code ?? error.message}). Try again.`;
  }
}
