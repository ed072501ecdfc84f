// Owns the French texts of an application’s protocol settings, for those who know what they want of OpenID Connect.

export const protocol = {
  title: (application: string) => `Protocole de ${application}`,
  lead: 'Rien de tout cela n’est nécessaire pour commencer : chaque réglage correspond à une norme, et reste éteint tant que vous n’en avez pas besoin.',
  action: 'Enregistrer',
  done: 'Les réglages sont enregistrés, et valent dès maintenant.',
  line: (entry: string, words: string) => `${entry} : ${words}`,
  tokens: 'Jetons',
  algorithm: 'Signature des id_tokens',
  algorithmHint: 'RS256 est compris partout. Ne changez que si votre bibliothèque le demande.',
  claims: 'Informations dans l’id_token',
  claimsHint:
    'Le nom, l’adresse e-mail et tout ce que couvrent les scopes accordés, pour les bibliothèques qui ne lisent que l’id_token. Chaque personne voit que l’application les a reçus. Selon le mode : oui en mode standard, sinon non.',
  claimsChoices: {
    auto: 'Selon le mode',
    always: 'Toujours',
    never: 'Jamais',
  },
  resources: 'Serveurs de ressources (RFC 8707)',
  resourcesHint:
    'Une URI par ligne. Un access token demandé avec resource porte cette URI dans aud : votre API le vérifie avec nos clés publiées, et il ne donne pas accès au profil ici.',
  requests: 'Demandes',
  par: 'Demandes poussées (RFC 9126)',
  parLabel: 'N’accepter que les demandes poussées vers /oauth/par',
  pkce: 'PKCE (RFC 7636)',
  pkceLabel: 'N’accepter que les demandes avec un code_challenge',
  device: 'Appareils sans navigateur (RFC 8628)',
  deviceLabel: 'Autoriser la connexion d’appareils avec un code',
  own: 'Pour son propre compte',
  serviceScopes: 'Scopes propres à l’application (client_credentials)',
  serviceScopesHint:
    'Séparés par des espaces, par exemple reports.read. L’application obtient avec eux des jetons sans aucune personne, chacun pour les serveurs de ressources que nomme sa demande (resource). Vide : cette possibilité est éteinte.',
  keys: 'Clés publiques (private_key_jwt)',
  keysHint:
    'Un JWK Set en JSON. L’application peut alors signer avec sa clé privée au lieu d’envoyer son secret : RS256, PS256, ES256 ou EdDSA.',
  logout: 'Déconnexion',
  postLogout: 'Adresses de retour après déconnexion',
  postLogoutHint: 'Une par ligne, comparées caractère par caractère (post_logout_redirect_uri).',
  backchannel: 'Adresse prévenue des déconnexions (back-channel)',
  backchannelHint:
    'Nous y envoyons un logout_token quand la session d’une personne se termine ici. Une adresse https publique.',
  deliveries: 'Dernières déconnexions annoncées',
  noDelivery: 'Aucune pour l’instant.',
  deliveryAt: 'Session terminée le',
  attempts: 'Essais',
  outcome: 'Résultat',
  delivered: 'reçue',
  waiting: (time: string) => `nouvel essai le ${time}`,
  givenUp: 'abandonnée',
  faults: {
    tooMany: 'Il y en a trop : 20 entrées au plus, ou 5 clés.',
    logoutAddressInvalid:
      'Cette adresse ne peut pas servir au retour : les règles des URL de callback valent ici aussi.',
    backchannelInvalid: 'Saisissez une adresse https complète, sans fragment.',
    resourceInvalid:
      'Une ressource est une URI absolue sans fragment, par exemple https://api.exemple.fr/v1.',
    resourceTaken:
      'Une application d’un autre compte a déjà cette ressource. Son propriétaire peut y enregistrer la vôtre, puis vous la transmettre.',
    scopeInvalid:
      'Un scope ne contient ni guillemet ni barre oblique inverse, et compte 100 caractères au plus.',
    scopeTaken: 'Ce nom désigne déjà des données de personnes.',
    keysUnreadable:
      'Ce texte n’est pas un JWK Set : collez les clés publiques en JSON, dans une liste nommée keys.',
    keyPrivate:
      'Une de ces clés est privée ! Elle n’a pas été enregistrée. Collez la clé publique, et remplacez celle-ci.',
    keyUnfit:
      'Une de ces clés ne convient pas : RSA d’au moins 2048 bits, P-256 ou Ed25519, avec l’algorithme qui va avec.',
  },
  tile: 'Protocole',
  tileHint: 'Réglages avancés d’OpenID Connect : déconnexion, PAR, clés, appareils.',
};
