// French: the administrators' page that imports accounts.

/** The keys come from src/import/row-remark.ts and src/import/source.ts. */
const ROW_REMARKS: Readonly<Record<string, string>> = {
  not_utf8: 'La ligne n’est pas en UTF-8.',
  not_json: 'La ligne n’est pas un objet JSON.',
  too_long: 'La ligne dépasse 64 ko.',
  wrong_columns: 'La ligne n’a pas le même nombre de colonnes que l’en-tête.',
  service_account: 'Cette ligne est le compte de service du client %s, pas un utilisateur.',
  email_missing: 'L’adresse e‑mail manque.',
  email_invalid: 'L’adresse e‑mail est incorrecte.',
  sub_invalid: 'sub doit être une chaîne de 1 à 255 caractères.',
  email_verified_invalid: 'email_verified doit être true ou false.',
  name_invalid: 'name doit compter de 1 à 100 caractères.',
  phone_number_invalid: 'phone_number doit être au format international, comme +33612345678.',
  password_hash_invalid: 'password_hash doit être une chaîne de 2048 caractères au plus.',
  password_hash_algorithm_invalid: 'password_hash_algorithm doit être une chaîne de 40 caractères au plus.',
  password_hash_salt_invalid: 'password_hash_salt doit être une chaîne de 512 caractères au plus.',
  password_hash_salt_position_invalid: 'password_hash_salt_position doit être before ou after.',
  totp_secret_invalid: 'totp_secret doit compter de 16 à 128 caractères en base32.',
  identities_invalid: 'identities : 24 identités au plus, chacune avec issuer (une URL) et subject.',
  suspended_invalid: 'suspended doit être true ou false.',
  passkeys_invalid: 'passkeys doit venir de « sesame export users --with-hashes ».',
  recovery_codes_invalid: 'recovery_codes doit venir de « sesame export users --with-hashes ».',
  groups_invalid: 'groups doit être une liste de chaînes.',
  password_refused: 'Le mot de passe ne peut pas être importé : %s.',
  hash_config_missing: 'Le mot de passe ne peut être importé qu’avec les paramètres de hachage de Firebase.',
  sub_not_uuid:
    'sub n’est pas un UUID : il ne peut pas être conservé. Importez sans conserver les identifiants.',
  sub_missing:
    'sub manque : il ne peut pas être conservé. Ajoutez-le, ou importez sans conserver les identifiants.',
  account_unverified:
    'Un compte a cette adresse e‑mail sans l’avoir vérifiée. Supprimez ce compte, ou faites vérifier l’adresse.',
  sub_taken: 'Un autre compte a ce sub.',
  identity_taken: 'Une identité chez %s est déjà liée à un autre compte.',
  duplicate_email: 'La ligne %s a la même adresse e‑mail.',
  duplicate_sub: 'La ligne %s a le même sub.',
  duplicate_identity: 'La ligne %s contient la même identité chez un fournisseur.',
  database: 'La base de données a refusé la ligne (SQLSTATE %s).',
  created_at_invalid:
    'created_at n’est pas une date et une heure comme 2026-01-31T12:00:00Z : %s. La date de l’import est utilisée.',
  locale_invalid: 'locale n’est pas une langue comme fr : %s. Aucune langue n’est enregistrée.',
  name_from_email: 'Le nom a été déduit de l’adresse e‑mail.',
  locale_unsupported: 'La langue %s n’est pas proposée ici.',
  groups: 'Groupes non importés : %s',
  roles: 'Rôles non importés : %s',
  attributes: 'Attributs non importés : %s',
  required_actions: 'Actions requises non importées : %s',
  picture: 'La photo n’est pas importée.',
  passkeys: 'Les clés d’accès ne sont pas importées : elles ne fonctionnent que sur l’ancien service.',
  passkeys_need_ids:
    'Les clés d’accès et les codes de secours ne peuvent être importés qu’en conservant les identifiants.',
  credentials: 'Moyens de connexion non importés : %s',
  totp_unsupported:
    'L’application d’authentification n’est pas importée : ses codes ne sont pas au format pris en charge (SHA-1, six chiffres, 30 secondes).',
  identity_unmapped: 'L’identité chez %s n’est pas importée : elle ne permet pas de se connecter ici.',
  provider_missing: 'Aucun fournisseur d’identité n’a encore été ajouté pour %s.',
  no_password:
    'Le compte n’a pas de mot de passe. Son titulaire peut en choisir un grâce à un lien reçu par e‑mail.',
  file_not_opened: 'Impossible d’ouvrir %s.',
  file_irregular: '%s n’est pas un fichier ordinaire.',
  file_changed: '%s a été modifié pendant la lecture. Les comptes déjà importés restent. Recommencez.',
  file_not_utf8: 'Le fichier n’est pas en UTF-8. Exportez-le en UTF-8.',
  other_format: 'Le fichier semble être au format %s. Choisissez ce format.',
  no_users: 'Le fichier ne contient aucun utilisateur.',
  no_readable_row: 'Aucune ligne du fichier n’est lisible. Avez-vous choisi le bon format ?',
  no_clients: '%s ne contient aucune application.',
  json_malformed: 'Le fichier n’est pas du JSON correct (vers l’octet %s).',
  json_not_object: 'Le fichier n’est pas un objet JSON unique (vers l’octet %s).',
  json_incomplete: 'Le fichier s’arrête avant la fin de l’objet JSON (vers l’octet %s).',
  csv_line_too_long: 'La ligne %s dépasse 64 ko, ou il manque un guillemet.',
  csv_quotes: 'La ligne %s n’est pas du CSV correct : un guillemet manque ou est mal placé.',
  csv_email_missing: 'La première ligne doit nommer les colonnes, dont l’une s’appelle email.',
  csv_column_repeated: 'La première ligne contient deux fois la colonne %s.',
  realm_missing: '%s ne contient aucun fichier NOM-realm.json.',
  realm_ambiguous: '%s contient plusieurs realms. Mettez les fichiers d’un seul dans un dossier à part.',
  realm_without_users:
    'L’export ne contient aucun utilisateur. Exportez le realm avec : kc.sh export --users same_file',
  realm_without_clients: '%s n’est pas l’export d’un realm Keycloak : il y manque le realm ou les clients.',
  hash_config_unused: 'Les paramètres de hachage ne servent qu’aux exports de Firebase.',
  hash_config_invalid:
    'Il faut algorithm (SCRYPT), base64_signer_key, base64_salt_separator, rounds et mem_cost.',
};

/** The English texts are in src/credentials/imported-hash-schemes.ts. */
const HASH_ERRORS: Readonly<Record<string, string>> = {
  unknown: 'le format de l’empreinte est inconnu',
  malformed: 'l’empreinte est mal formée',
  too_expensive: 'vérifier l’empreinte prendrait trop de temps ou de mémoire',
  des_crypt: 'DES crypt ne compare que 8 caractères du mot de passe',
  algorithm_missing: 'il manque password_hash_algorithm (md5, sha1, sha256 ou sha512)',
  algorithm_unknown: 'l’algorithme de l’empreinte n’est pas pris en charge',
};

export const imports = {
  remark: ({ code, detail = '' }: { code: string; detail?: string | undefined }, english: string) =>
    ROW_REMARKS[code]?.replace('%s', () => (code === 'password_refused' && HASH_ERRORS[detail]) || detail) ??
    english,
  action: 'Importer des comptes',
  title: 'Importer des comptes',
  text: 'Importez les comptes d’un autre service avec leurs mots de passe. Les comptes qui existent déjà ne sont jamais modifiés.',
  limits: (rows: string) =>
    `Le fichier peut contenir jusqu’à ${rows} comptes et peser jusqu’à 2 Mo. Pour un fichier plus grand, utilisez la commande :`,
  file: 'Fichier',
  format: 'Format du fichier',
  formats: {
    keycloak: 'Keycloak : export d’un realm (JSON)',
    auth0: 'Auth0 : export des utilisateurs (NDJSON)',
    firebase: 'Firebase : export des comptes (JSON)',
    jsonl: 'JSONL',
    csv: 'CSV, avec les noms des champs en première ligne',
  },
  hashConfig: 'Paramètres de hachage de Firebase',
  hashConfigHint:
    'Uniquement pour Firebase. Sans ce fichier, les comptes qui ont un mot de passe sont refusés.',
  optional: 'facultatif',
  options: 'Identifiants',
  keepIds: 'Conserver les identifiants (sub)',
  keepIdsHint:
    'Vos applications reconnaîtront leurs utilisateurs. Les lignes dont l’identifiant manque ou n’est pas un UUID sont refusées. Si vous ne cochez pas cette case, chaque compte reçoit un nouvel identifiant, et le rapport indique l’ancien.',
  modesText:
    'Une vérification n’enregistre rien et donne le même rapport qu’une importation. Les titulaires des comptes ne reçoivent aucun e‑mail.',
  modes: { check: 'Vérifier le fichier', import: 'Importer les comptes' },
  errors: {
    fileMissing: 'Choisissez un fichier.',
    formatMissing: 'Choisissez un format.',
    tooManyRows: (rows: string) =>
      `Le fichier dépasse ${rows} comptes. Utilisez la commande « sesame import users ».`,
  },
  result: {
    checked: 'Fichier vérifié',
    imported: 'Importation terminée',
    stopped: 'Importation interrompue',
    nothingWritten: 'Rien n’a été enregistré. Le fichier n’est pas conservé après une vérification.',
    nothingToImport: 'Ce fichier ne contient aucun compte à importer.',
    stoppedText:
      'L’importation a pris trop de temps. Pour la poursuivre, envoyez de nouveau le même fichier, ou utilisez la commande.',
    wouldCreate: 'Comptes à créer',
    created: 'Comptes créés',
    exists: 'Comptes existants, inchangés',
    refused: 'Lignes refusées',
    download: 'Télécharger le rapport',
    importFile: 'Choisir le fichier et importer',
    again: 'Choisir un autre fichier',
    toAccounts: 'Voir les comptes',
    row: 'Ligne',
    email: 'Adresse e‑mail',
    reason: 'Raison',
    note: 'Remarque',
    refusedRows: 'Lignes refusées',
    notedRows: 'Remarques',
    more: (count: string) => `Le rapport en contient ${count} de plus.`,
  },
};
