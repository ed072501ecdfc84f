import { InMemoryWebStorage, WebStorageStateStore } from 'oidc-client-ts';
import { createRoot } from 'react-dom/client';
import { AuthProvider, useAuth } from 'react-oidc-context';

const { VITE_ISSUER, VITE_CLIENT_ID, VITE_REDIRECT_URI, VITE_SCOPE } = import.meta.env;
const settings = {
  authority: VITE_ISSUER,
  client_id: VITE_CLIENT_ID,
  redirect_uri: VITE_REDIRECT_URI,
  scope: VITE_SCOPE,
  // Name, email and picture come from userinfo.
  loadUserInfo: true,
  // Keeps tokens out of web storage.
  userStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }),
  // Removes the code from the URL.
  onSigninCallback: () => history.replaceState(null, '', location.pathname),
};

function App() {
  const auth = useAuth();
  if (auth.isLoading) return null;
  // Find or create your user by auth.user.profile.sub here.
  if (auth.isAuthenticated) return <p>Hello {auth.user.profile.name}</p>;
  return (
    <>
      {auth.error && <p role="alert">Sign-in failed ({auth.error.message}). Try again.</p>}
      <button type="button" className="service-signin-btn" lang="fr" onClick={() => auth.signinRedirect()}>
        <img src={`${VITE_ISSUER}/images/logo.svg`} alt="" width="22" height="22" />
        Se connecter avec {'{{serviceName}}'}
      </button>
    </>
  );
}

createRoot(document.querySelector('#root')).render(
  <AuthProvider {...settings}>
    <App />
  </AuthProvider>,
);
