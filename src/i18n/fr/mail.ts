// French: emails.

import { withDe } from '../elision.ts';

export const mail = {
  greeting: (name: string) => (name === '' ? 'Bonjour,' : `Bonjour ${name},`),
  quoted: (name: string) => `« ${name} »`,
  colon: ' : ',
  unnamed: '(nom non affiché)',
  footer: (service: string, host: string) =>
    `${service}, ${host}. Cet e-mail a été envoyé automatiquement : les réponses ne sont pas lues.`,
  codeText: 'Code pour la page qui le demande :',

  verify_email: {
    subject: (service: string) => `Confirmez votre adresse pour ${service}`,
    text: (service: string, email: string) =>
      `Quelqu’un, sans doute vous, utilise l’adresse ${email} pour un compte ${service}. Confirmez qu’elle est bien la vôtre.`,
    action: 'Confirmer mon adresse',
    closing:
      'Le lien et le code sont valables un jour. Si ce n’était pas vous, ignorez cet e-mail : sans confirmation, l’adresse reste non vérifiée.',
  },
  change_email: {
    subject: (service: string) => `Confirmez votre nouvelle adresse pour ${service}`,
    text: (service: string, email: string) =>
      `Votre compte ${service} doit passer à l’adresse ${email}. Rien ne change tant que vous ne l’avez pas confirmé.`,
    action: 'Confirmer ma nouvelle adresse',
    closing:
      'Le lien et le code sont valables un jour. Si vous n’avez rien demandé, ignorez cet e-mail : rien ne changera.',
  },
  reset_password: {
    subject: (service: string) => `Choisissez un nouveau mot de passe pour ${service}`,
    text: (service: string) =>
      `Ce lien permet de choisir un mot de passe pour votre compte ${service}. Rien ne change tant que vous ne l’avez pas fait.`,
    action: 'Choisir un nouveau mot de passe',
    closing:
      'Le lien est valable 30 minutes et ne sert qu’une fois. Il a été demandé depuis la page de connexion, ou envoyé par votre administrateur. Si vous n’en avez pas besoin, ignorez cet e-mail.',
  },
  invitation: {
    subject: (service: string) => `Votre compte ${service} vous attend`,
    text: (service: string) =>
      `Un compte vient d’être créé pour vous sur ${service}. Il ne vous reste qu’à choisir votre mot de passe.`,
    action: 'Choisir mon mot de passe',
    closing:
      'Le lien est valable sept jours et ne sert qu’une fois. Si vous n’attendez rien de ce service, ignorez cet e-mail : sans mot de passe, le compte reste inutilisable.',
  },

  without_password: {
    subject: (service: string) => `Votre compte ${service} n’a pas de mot de passe`,
    text: (service: string) =>
      `Quelqu’un, sans doute vous, a demandé un nouveau mot de passe pour votre compte ${service}. Il n’en a pas : vous vous connectez avec une clé d’accès, ou avec l’un de vos codes de secours.`,
    action: 'Se connecter avec un code de secours',
    closing:
      'Une fois dans votre compte, vous pourrez créer une clé d’accès ou choisir un mot de passe. Si ce n’était pas vous, ignorez cet e-mail. Si vous avez tout perdu, contactez votre administrateur.',
  },
  email_in_use: {
    subject: (service: string) => `Votre adresse a déjà un compte ${service}`,
    text: (service: string, email: string) =>
      `Quelqu’un a voulu utiliser l’adresse ${email} pour son compte ${service}, mais elle a déjà un compte : le vôtre. Rien n’a changé.`,
    closing:
      'Si c’était vous, connectez-vous avec cette adresse, ou changez d’abord celle de ce compte. Si ce n’était pas vous, il n’y a rien à faire.',
  },
  identity_sign_up: {
    subject: (service: string) => `Créez votre compte ${service}`,
    text: (service: string, email: string) =>
      `Quelqu’un, sans doute vous, crée un compte ${service} avec l’adresse ${email}. Confirmez qu’elle est à vous.`,
    action: 'Créer mon compte',
    closing:
      'Le lien est valable une heure, dans le navigateur où l’inscription a commencé. Si ce n’était pas vous, ignorez cet e-mail : aucun compte ne sera créé.',
  },
  identity_sign_up_taken: {
    subject: (service: string) => `Vous avez déjà un compte ${service}`,
    text: (service: string, email: string) =>
      `Quelqu’un, sans doute vous, voulait créer un compte ${service} avec l’adresse ${email}, mais vous avez déjà un compte avec cette adresse. Rien n’a changé.`,
    action: 'Me connecter',
    closing:
      'Si c’était vous, connectez-vous comme d’habitude : la page « Connexion et sécurité » vous permet ensuite de lier le compte de l’autre service. Si ce n’était pas vous, vous n’avez rien à faire.',
  },
  offered: {
    what: { application: 'application', api: 'API' },
    subject: (what: string, service: string) => `On vous propose une ${what} sur ${service}`,
    text: (what: string, name: string, service: string) =>
      `Quelqu’un veut vous transférer l’${what} ${name} sur ${service}. Rien ne change tant que vous n’avez pas accepté.`,
    from: 'Proposée par :',
    until: 'Jusqu’au :',
    action: 'Voir la proposition',
    closing: (what: string) =>
      `La page montre tout ce qui viendrait avec l’${what} ; vous pourrez l’accepter ou la refuser. Si vous n’attendiez rien, ignorez cet e-mail : la proposition expirera.`,
  },
  sign_in: {
    subject: (service: string) => `Confirmez votre connexion à ${service}`,
    text: (service: string) =>
      `Quelqu’un, sans doute vous, a saisi le mot de passe de votre compte ${service} dans un navigateur que nous ne connaissons pas. De nombreux mots de passe incorrects avaient été essayés auparavant : c’est pourquoi nous vous demandons de confirmer.`,
    closing:
      'Le code est valable 30 minutes, dans le navigateur où le mot de passe a été saisi. Si ce n’était pas vous, quelqu’un connaît votre mot de passe : choisissez-en un nouveau.',
  },
  mfa_reset_requested: {
    subject: (service: string) => `Le second facteur de votre compte ${service} va être réinitialisé`,
    text: 'Il a été demandé à votre administrateur de retirer l’application d’authentification, les codes de secours et les navigateurs de confiance de votre compte. Le mot de passe suffira alors pour se connecter.',
    textWithPasskeys:
      'Il a été demandé à votre administrateur de retirer les clés d’accès, l’application d’authentification, les codes de secours et les navigateurs de confiance de votre compte. Le mot de passe suffira alors pour se connecter.',
    until: 'Prend effet :',
    action: 'Arrêter la réinitialisation',
    closing:
      'Si vous les avez perdus, il n’y a rien à faire : connectez-vous avec votre mot de passe le moment venu. Si vous n’avez rien demandé, arrêtez-la : tout restera inchangé, et il n’est pas nécessaire de vous connecter.',
  },

  activity_reported: {
    subject: (service: string) => `Votre compte ${service} a été sécurisé`,
    text: 'Vous avez signalé que quelqu’un d’autre utilisait votre compte. Toutes les sessions sont fermées, les accès des applications révoqués et l’ancien mot de passe ne fonctionne plus.',
    taken:
      'Un autre compte utilise maintenant votre ancienne adresse : nous n’avons pas pu la rétablir. Votre compte est suspendu jusqu’à ce que votre administrateur l’ait vérifié.',
    removed: 'Ce qui a été supprimé',
    review: 'À vérifier',
    account: 'Votre compte',
    action: 'Choisir un nouveau mot de passe',
    closing: 'Ce lien vous permet de choisir un nouveau mot de passe et de retrouver votre compte.',
    reviewText:
      'Ce qui est à vérifier a été modifié ou supprimé depuis le début de la session signalée : nous ne l’avons pas rétabli.',
  },

  at: 'Quand :',
  address: 'Depuis l’adresse IP :',
  browser: 'Avec :',
  notMe: 'Ce n’était pas moi',
  notMeClosing:
    'Si c’était vous, il n’y a rien à faire. Sinon, ouvrez ce lien dans les sept jours : une page vous dira ce qui sera arrêté, et vous demandera de confirmer.',
  about: 'Concerne :',
  decided: 'Votre administrateur a effectué cette opération.',
  announcementClosing:
    'Si vous ne vous y attendiez pas, ou si vous avez une question, contactez votre administrateur.',
  notices: {
    new_sign_in: (service: string) => `Nouvelle connexion à votre compte ${service}`,
    password_changed: (service: string) => `Le mot de passe de votre compte ${service} a changé`,
    password_reset: (service: string) => `Le mot de passe de votre compte ${service} a été réinitialisé`,
    password_removed: (service: string) => `Votre compte ${service} n’a plus de mot de passe`,
    password_added: (service: string) => `Votre compte ${service} a un mot de passe`,
    email_change_requested: (service: string) => `Changement d’adresse demandé pour votre compte ${service}`,
    email_changed: (service: string) => `L’adresse de votre compte ${service} a changé`,
    email_changed_by_admin: (service: string) =>
      `Un administrateur a changé l’adresse de votre compte ${service}`,
    secret_created: (service: string) => `Nouveau secret pour une application sur ${service}`,
    secret_ended: (service: string) => `Secret d’application révoqué sur ${service}`,
    application_deleted: (service: string) => `Une de vos applications a été supprimée sur ${service}`,
    application_transfer_offered: (service: string) =>
      `Une de vos applications est proposée à un autre compte sur ${service}`,
    application_transferred: (service: string) =>
      `Une de vos applications a changé de propriétaire sur ${service}`,
    application_changed: (service: string) => `Réglages d’une application modifiés sur ${service}`,
    application_received: (service: string) =>
      `Une application appartient désormais à votre compte ${service}`,
    api_secret_created: (service: string) => `Nouveau secret pour une API sur ${service}`,
    api_secret_ended: (service: string) => `Secret d’API révoqué sur ${service}`,
    api_changed: (service: string) => `Réglages d’une API modifiés sur ${service}`,
    api_keys_changed: (service: string) => `Clés d’une API modifiées sur ${service}`,
    api_transfer_offered: (service: string) => `Une de vos API est proposée à un autre compte sur ${service}`,
    api_transferred: (service: string) => `Une de vos API a changé de propriétaire sur ${service}`,
    api_received: (service: string) => `Une API appartient désormais à votre compte ${service}`,
    api_deleted: (service: string) => `Une de vos API a été supprimée sur ${service}`,
    api_access_cut: (service: string) => `Accès à l’une de vos API bloqué sur ${service}`,
    agent_access_given: (service: string) => `Un agent a accès à votre compte ${service}`,
    sensitive_access_given: (service: string) => `Accès sensible autorisé depuis votre compte ${service}`,
    service_access_granted: (service: string) => `Accès accordé à l’une de vos API sur ${service}`,
    api_access_restored: (service: string) => `Accès à l’une de vos API rétabli sur ${service}`,
    sessions_ended: (service: string) => `Des sessions de votre compte ${service} ont été fermées`,
    app_added: (service: string) => `Application d’authentification ajoutée à votre compte ${service}`,
    app_removed: (service: string) => `Application d’authentification retirée de votre compte ${service}`,
    recovery_codes_made: (service: string) => `Nouveaux codes de secours pour votre compte ${service}`,
    mfa_reset: (service: string) => `Second facteur de votre compte ${service} réinitialisé`,
    passkey_added: (service: string) => `Clé d’accès ajoutée à votre compte ${service}`,
    passkey_renamed: (service: string) => `Clé d’accès de votre compte ${service} renommée`,
    passkey_removed: (service: string) => `Clé d’accès retirée de votre compte ${service}`,
    identity_linked: (service: string) => `Compte externe lié à votre compte ${service}`,
    identity_unlinked: (service: string) => `Compte externe dissocié de votre compte ${service}`,
    data_exported: (service: string) => `Les données de votre compte ${service} ont été téléchargées`,
  },
  announcements: {
    password_guessed: (service: string) =>
      `Quelqu’un cherche à deviner le mot de passe de votre compte ${service}`,
    account_deleted: (service: string) => `Votre compte ${service} a été supprimé`,
    account_removed: (service: string) => `Votre compte ${service} a été supprimé`,
    account_suspended: (service: string) => `Votre compte ${service} est suspendu`,
    account_unsuspended: (service: string) => `Votre compte ${service} n’est plus suspendu`,
    account_updated: (service: string) => `Votre compte ${service} a été modifié`,
    access_ended: (service: string) => `Les sessions de votre compte ${service} ont été fermées`,
    session_ended_by_admin: (service: string) => `Une session de votre compte ${service} a été fermée`,
    consent_revoked_by_admin: (service: string) => `Une application n’a plus accès à votre compte ${service}`,
    password_set: (service: string) => `Le mot de passe de votre compte ${service} a été remplacé`,
    mfa_reset_canceled: (service: string) => `Le second facteur de votre compte ${service} reste inchangé`,
    passkey_clone_suspected: (service: string) => `Une clé d’accès de votre compte ${service} a été refusée`,
    codes_tried: (service: string) => `Quelqu’un connaît le mot de passe de votre compte ${service}`,
    codes_used_up: (service: string) => `Beaucoup de codes incorrects pour votre compte ${service}`,
    admin_granted: (service: string) => `Vous êtes administrateur ${withDe(service)}`,
    admin_revoked: (service: string) => `Vous n’êtes plus administrateur ${withDe(service)}`,
    api_suspended: (service: string) => `Une de vos API est suspendue sur ${service}`,
    api_unsuspended: (service: string) => `Une de vos API n’est plus suspendue sur ${service}`,
    api_access_requested: (service: string) =>
      `Une application demande un accès à l’une de vos API sur ${service}`,
    api_access_granted: (service: string) => `Accès à une API accordé sur ${service}`,
    api_access_refused: (service: string) => `Accès à une API refusé sur ${service}`,
    api_access_ended: (service: string) => `Fin d’un accès à une API sur ${service}`,
    application_suspended: (service: string) => `Une de vos applications est suspendue sur ${service}`,
    application_unsuspended: (service: string) =>
      `Une de vos applications n’est plus suspendue sur ${service}`,
    application_removed: (service: string) => `Une de vos applications a été supprimée sur ${service}`,
    application_updated: (service: string) => `Une de vos applications a été modifiée sur ${service}`,
    api_removed: (service: string) => `Une de vos API a été supprimée sur ${service}`,
    api_secret_removed: (service: string) => `Secret d’API révoqué sur ${service}`,
    api_secret_replaced: (service: string) => `Nouveau secret pour une API sur ${service}`,
    secret_removed: (service: string) => `Secret d’application révoqué sur ${service}`,
    secret_replaced: (service: string) => `Nouveau secret pour une application sur ${service}`,
  },
  details: {
    email_change_requested: 'Rien ne change tant que la nouvelle adresse n’a pas été confirmée.',
    email_changed:
      'Cet e-mail est le dernier que nous envoyons à l’ancienne adresse. Le lien ci-dessous la rétablit.',
    email_changed_by_admin:
      'Cet e-mail est le dernier que nous envoyons à l’ancienne adresse. Le lien ci-dessous la rétablit.',
    account_updated: 'Le nom, le numéro de téléphone ou l’adresse e-mail a changé.',
    new_sign_in: 'Elle vient d’un navigateur que nous ne connaissions pas.',
    password_changed:
      'Toutes les autres sessions sont fermées et les applications n’ont plus accès à votre compte : reconnectez-vous là où vous en avez besoin.',
    password_reset:
      'Toutes les autres sessions sont fermées et les applications n’ont plus accès à votre compte : reconnectez-vous là où vous en avez besoin.',
    password_set:
      'Toutes les sessions sont fermées et les applications n’ont plus accès à votre compte. Reconnectez-vous avec le nouveau mot de passe.',
    access_ended:
      'Les applications n’ont plus accès à votre compte non plus. Votre mot de passe reste le même : il suffit de vous reconnecter.',
    session_ended_by_admin:
      'Le navigateur concerné est déconnecté. Votre mot de passe reste le même : il suffit de vous reconnecter.',
    consent_revoked_by_admin:
      'Ses jetons ne fonctionnent plus. Si vous l’utilisez de nouveau, elle vous demandera votre autorisation.',
    passkey_added: 'Elle permet de vous connecter sans mot de passe.',
    identity_linked: 'Ce compte externe permet désormais de se connecter à votre compte.',
    app_removed: 'Son code n’est plus demandé à la connexion.',
    account_deleted:
      'La suppression a été demandée depuis l’une de ses sessions. Ses données et ses applications ont été supprimées avec lui.',
    account_suspended:
      'Tant que dure la suspension, personne ne peut se connecter à ce compte et les applications n’y ont pas accès. Rien n’a été effacé.',
    application_suspended:
      'Tant que dure la suspension, personne ne peut se connecter à cette application et ses jetons sont révoqués. Rien n’a été effacé.',
    api_suspended:
      'Tant que dure la suspension, aucun jeton n’est délivré pour cette API. Rien n’a été effacé.',
    secret_replaced: 'Demandez-le à votre administrateur si vous ne l’avez pas reçu.',
    api_secret_replaced: 'Demandez-le à votre administrateur si vous ne l’avez pas reçu.',
    mfa_reset:
      'Votre compte n’est plus protégé que par un mot de passe : configurez de nouveau un second facteur dès que possible.',
    password_guessed:
      'Cent mots de passe incorrects ont été essayés depuis le dernier qui était juste ; aucun n’a fonctionné. Jusqu’à votre prochaine connexion, un navigateur que nous ne connaissons pas aura besoin, en plus du mot de passe, d’un e-mail de notre part. Si ce mot de passe vous sert aussi ailleurs, choisissez-en un nouveau.',
    passkey_clone_suspected:
      'Son compteur était en retard : il en existe peut-être une copie. Elle a été refusée. Retirez cette clé d’accès de votre compte, puis créez-en une autre.',
    codes_tried:
      'Le bon mot de passe vient d’être saisi, puis plusieurs codes incorrects. Personne n’a été connecté. Si ce n’était pas vous, choisissez un nouveau mot de passe dès maintenant.',
    codes_used_up:
      'Le bon mot de passe continue d’être suivi de codes incorrects. Pour l’instant, la plupart des codes ne sont examinés que dans les navigateurs où vous vous êtes déjà connecté ; vos codes de secours fonctionnent partout. Choisissez un nouveau mot de passe : personne n’atteindra plus l’étape du code.',
    api_access_requested:
      'Elle n’a pas d’accès tant que vous ne l’avez pas accordé, sur la page « Demandes » de votre API.',
  },

  dev: {
    title: 'E-mails de développement',
    lead: 'Aucun serveur de messagerie n’est configuré : ce processus conserve les cent derniers e-mails jusqu’à son arrêt. Cette page n’existe pas en production.',
    empty:
      'Aucun e-mail pour l’instant. Créez un compte ou demandez un nouveau mot de passe : l’e-mail apparaîtra ici.',
    back: 'Tous les e-mails',
    asHtml: 'Voir la version mise en forme',
  },
};
