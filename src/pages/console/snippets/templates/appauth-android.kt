import android.content.Intent
import android.net.Uri
import androidx.activity.ComponentActivity
import androidx.activity.result.contract.ActivityResultContracts
import net.openid.appauth.*

/** Signs users in with a browser tab. The library adds state, nonce and PKCE. */
abstract class SignInActivity : ComponentActivity() {
    private val service by lazy { AuthorizationService(this) }
    private val browser = registerForActivityResult(ActivityResultContracts.StartActivityForResult()) { result ->
        result.data?.let { finishSignIn(it) }
    }

    /** Save the state with `jsonSerializeString`. Find or create your user by `sub` in `parsedIdToken`. */
    abstract fun onSignedIn(state: AuthState)

    abstract fun onSignInFailed(error: AuthorizationException?)

    fun signIn() {
        AuthorizationServiceConfiguration.fetchFromIssuer(Uri.parse('{{issuer}}')) { configuration, error ->
            if (configuration == null) {
                onSignInFailed(error)
            } else {
                val callback = Uri.parse('{{callback}}')
                val request = AuthorizationRequest
                    .Builder(configuration, '{{clientId}}', ResponseTypeValues.CODE, callback)
                    .setScope('{{scope}}')
                    .build()
                browser.launch(service.getAuthorizationRequestIntent(request))
            }
        }
    }

    private fun finishSignIn(data: Intent) {
        val response = AuthorizationResponse.fromIntent(data)
        if (response == null) return onSignInFailed(AuthorizationException.fromIntent(data))
        val state = AuthState(response, null)
        service.performTokenRequest(response.createTokenExchangeRequest()) { tokens, error ->
            state.update(tokens, error)
            if (tokens == null) onSignInFailed(error) else onSignedIn(state)
        }
    }

    override fun onDestroy() {
        service.dispose()
        super.onDestroy()
    }
}
