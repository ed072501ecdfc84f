// French: the administrators' page that imports accounts.

/** Why rows were refused, and what wasn't imported. English texts are in src/import/row-remark.ts. */
const REMARKS: Readonly<Record<string, string>> = {
  not_utf8: 'La ligne n’est pas en UTF-8.',
  not_json: 'La ligne n’est pas un objet JSON.',
  too_long: 'La ligne dépasse 64 ko.',
  wrong_columns: 'La ligne n’a pas le même nombre de colonnes que l’en-tête.',
  service_account: 'C’est le compte de service du client %s, pas un utilisateur.',
  email_missing: 'L’adresse e-mail manque.',
  email_invalid: 'email n’est pas une adresse e-mail.',
  sub_invalid: 'sub doit être une chaîne de 1 à 255 caractères.',
  email_verified_invalid: 'email_verified doit être true ou false.',
  name_invalid: 'name doit compter de 1 à 100 caractères.',
  phone_number_invalid: 'phone_number doit être au format international, comme +33612345678.',
  locale_invalid: 'locale doit être une langue, comme fr.',
  password_hash_invalid: 'password_hash doit être une chaîne de 2048 caractères au plus.',
  password_hash_algorithm_invalid: 'password_hash_algorithm doit être une chaîne de 40 caractères au plus.',
  password_hash_salt_invalid: 'password_hash_salt doit être une chaîne de 512 caractères au plus.',
  password_hash_salt_position_invalid: 'password_hash_salt_position doit être before ou after.',
  totp_secret_invalid: 'totp_secret doit compter de 16 à 128 caractères en base32.',
  identities_invalid: 'identities : 24 identités au plus, chacune avec issuer (une URL) et subject.',
  suspended_invalid: 'suspended doit être true ou false.',
  created_at_invalid: 'created_at doit être une date et une heure, comme 2026-01-31T12:00:00Z.',
  passkeys_invalid: 'passkeys doit venir de « sesame export users --with-hashes ».',
  recovery_codes_invalid: 'recovery_codes doit venir de « sesame export users --with-hashes ».',
  groups_invalid: 'groups doit être une liste de chaînes.',
  password_refused: 'Le mot de passe ne peut pas être repris : %s.',
  hash_config_missing: 'Pour reprendre le mot de passe, il faut les paramètres de hachage de Firebase.',
  sub_missing:
    'sub manque : il ne peut pas être gardé. Ajoutez-le, ou importez sans garder les identifiants.',
  sub_not_uuid: 'sub n’est pas un UUID : il ne peut pas être gardé. Importez sans garder les identifiants.',
  sub_taken: 'Un autre compte a ce sub.',
  identity_taken: 'Une identité chez %s est liée à un autre compte.',
  duplicate_email: 'La ligne %s a la même adresse e-mail.',
  duplicate_sub: 'La ligne %s a le même sub.',
  duplicate_identity: 'La ligne %s a la même identité chez un fournisseur.',
  database: 'La base de données a refusé la ligne (SQLSTATE %s).',
  name_from_email: 'Le nom vient de l’adresse e-mail.',
  locale_unsupported: 'La langue %s n’est pas proposée ici.',
  groups: 'Groupes non repris : %s',
  roles: 'Rôles non repris : %s',
  attributes: 'Attributs non repris : %s',
  required_actions: 'Actions requises non reprises : %s',
  picture: 'La photo n’est pas reprise.',
  passkeys: 'Les clés d’accès ne sont pas reprises : elles ne fonctionnent que sur l’ancien service.',
  passkeys_need_ids:
    'Les clés d’accès et les codes de secours ne sont pas repris : il faut garder les identifiants.',
  credentials: 'Moyens de connexion non repris : %s',
  totp_unsupported:
    'L’application d’authentification n’est pas reprise : il lui faut SHA-1, six chiffres et 30 secondes.',
  identity_unmapped:
    'L’identité chez %s n’est pas reprise : son émetteur ou son sujet chez ce fournisseur est inconnu.',
  provider_missing: 'Aucun fournisseur d’identité n’a encore été ajouté pour %s.',
  no_password:
    'Le compte n’a pas de mot de passe. Son titulaire peut en choisir un par un lien envoyé par e-mail.',
};

/** Why password hashes were refused. English texts are in src/credentials/foreign-hash-schemes.ts. */
const HASH_REFUSALS: Readonly<Record<string, string>> = {
  unknown: 'le format de l’empreinte est inconnu',
  malformed: 'l’empreinte est mal formée',
  too_expensive: 'vérifier l’empreinte prendrait trop de temps ou de mémoire',
  des_crypt: 'DES crypt ne compare que 8 caractères du mot de passe',
  algorithm_missing: 'il manque password_hash_algorithm (md5, sha1, sha256 ou sha512)',
  algorithm_unknown: 'l’algorithme de l’empreinte n’est pas pris en charge',
};

export const imports = {
  /** @param english the remark in English, for codes without a French text */
  remark: ({ code, detail = '' }: { code: string; detail?: string | undefined }, english: string) =>
    REMARKS[code]?.replace('%s', () => (code === 'password_refused' && HASH_REFUSALS[detail]) || detail) ??
    english,
  action: 'Importer des comptes',
  title: 'Importer des comptes',
  text: 'Reprenez les comptes d’un autre service, avec leurs mots de passe. Les comptes qui existent déjà ne sont jamais modifiés.',
  limits: (rows: string) =>
    `Le fichier peut contenir ${rows} comptes au plus et peser 2 Mo. Pour un fichier plus grand, utilisez la commande :`,
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
    'Pour Firebase seulement : un fichier JSON. Sans lui, les comptes qui ont un mot de passe sont refusés.',
  optional: 'facultatif',
  options: 'Identifiants',
  keepIds: 'Garder les identifiants (sub)',
  keepIdsHint:
    'Les lignes dont l’identifiant manque ou n’est pas un UUID sont refusées. Si vous ne cochez pas cette case, chaque compte reçoit un nouvel identifiant, et le rapport indique l’ancien.',
  mode: 'Action',
  modes: { check: 'Vérifier le fichier', import: 'Importer les comptes' },
  modeHints: {
    check: 'Rien n’est enregistré. Vous obtenez le même rapport qu’après une importation.',
    import: 'Crée les comptes. Aucun e-mail ne leur est envoyé.',
  },
  submit: 'Continuer',
  errors: {
    fileMissing: 'Choisissez un fichier.',
    formatMissing: 'Choisissez un format.',
    unreadable: (detail: string) => `Ce fichier est illisible dans ce format : ${detail}`,
    tooManyRows: (rows: string) =>
      `Le fichier dépasse ${rows} comptes. Utilisez la commande « sesame import users ».`,
  },
  result: {
    checked: 'Fichier vérifié',
    imported: 'Importation terminée',
    stopped: 'Importation interrompue',
    nothingWritten: 'Rien n’a été enregistré. Pour importer les comptes, choisissez de nouveau le fichier.',
    stoppedText:
      'L’importation a pris trop de temps. Envoyez de nouveau le même fichier pour la poursuivre, ou utilisez la commande.',
    wouldCreate: 'Comptes à créer',
    created: 'Comptes créés',
    exists: 'Comptes existants, inchangés',
    refused: 'Lignes refusées',
    download: 'Télécharger le rapport',
    importFile: 'Importer ce fichier',
    again: 'Choisir un autre fichier',
    toAccounts: 'Voir les comptes',
    row: 'Ligne',
    email: 'Adresse e-mail',
    reason: 'Raison',
    note: 'Remarque',
    refusedRows: 'Lignes refusées',
    notedRows: 'Remarques',
    more: (count: string) => `Les ${count} suivantes figurent dans le rapport.`,
  },
};
