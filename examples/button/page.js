// Signs the user in when a button is clicked, and shows the result.
import { finishSignIn, SignInError, startSignIn } from './signin.js';

const { baseUrl = '', clientId = '' } = document.documentElement.dataset;
const application = { baseUrl, clientId, redirectUri: location.origin + location.pathname };

/** @type {Record<string, string>} */
const errorMessages = {
  access_denied: 'Vous avez refusé l’accès. Rien n’a été partagé.',
  state_mismatch: 'Cette réponse ne correspond pas à la connexion commencée dans cet onglet. Recommencez.',
  iss_mismatch: 'Cette réponse vient d’un autre service. Elle a été ignorée.',
  invalid_grant: 'Le code a expiré ou a déjà servi. Recommencez.',
};

const result = document.querySelector('#result');

/** @param {string} text */
function showResult(text) {
  if (result) result.textContent = text;
}

async function completeSignIn() {
  showResult('Connexion en cours…');
  try {
    const tokens = await finishSignIn(application);
    const response = await fetch(`${baseUrl}/oauth/userinfo`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    const profile = await response.json();
    showResult(response.ok ? `Bonjour ${profile.name} !` : 'Le profil n’a pas pu être lu.');
  } catch (error) {
    if (error instanceof SignInError)
      showResult(errorMessages[error.code] ?? 'La connexion n’a pas abouti. Recommencez.');
    else showResult('Le service ne répond pas. Réessayez dans un moment.');
  }
}

for (const button of document.querySelectorAll('.service-signin-btn'))
  button.addEventListener('click', () => startSignIn(application));

if (new URLSearchParams(location.search).has('state')) {
  const completed = completeSignIn();
  // Remove the code from the address bar and the history.
  history.replaceState(null, '', location.pathname);
  await completed;
}
