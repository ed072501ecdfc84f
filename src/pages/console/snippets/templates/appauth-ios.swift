// In Xcode, choose File > Add Package Dependencies, and add https://github.com/openid/AppAuth-iOS (2.1 or later).
import AppAuth
import UIKit

/// Signs users in with the system's browser sheet. Keep the instance until the sheet closes.
final class SignIn {
    private var session: OIDExternalUserAgentSession?

    /// Calls `completion` with the signed-in state, or with an error. The library adds state, nonce and PKCE.
    func start(from controller: UIViewController, completion: @escaping (OIDAuthState?, Error?) -> Void) {
        let issuer = URL(string: '{{issuer}}')!
        OIDAuthorizationService.discoverConfiguration(forIssuer: issuer) { configuration, error in
            guard let configuration = configuration else { return completion(nil, error) }
            let request = OIDAuthorizationRequest(
                configuration: configuration,
                clientId: '{{clientId}}',
                scopes: '{{scope}}'.components(separatedBy: " "),
                redirectURL: URL(string: '{{callback}}')!,
                responseType: OIDResponseTypeCode,
                additionalParameters: nil
            )
            self.session = OIDAuthState.authState(byPresenting: request, presenting: controller, callback: completion)
        }
    }

    /// Reads the profile with a fresh access token. Find or create your user by `sub`.
    func readProfile(of state: OIDAuthState, completion: @escaping ([String: Any]?) -> Void) {
        state.performAction { accessToken, _, _ in
            let endpoint = state.lastAuthorizationResponse.request.configuration.discoveryDocument?.userinfoEndpoint
            guard let accessToken = accessToken, let endpoint = endpoint else { return completion(nil) }
            var request = URLRequest(url: endpoint)
            request.setValue("Bearer \(accessToken)", forHTTPHeaderField: "Authorization")
            URLSession.shared.dataTask(with: request) { data, _, _ in
                completion(data.flatMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] })
            }.resume()
        }
    }
}
