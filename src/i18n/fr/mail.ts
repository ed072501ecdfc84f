// Owns the French texts of: mail.

import { de } from '../elision.ts';

const notice = (subject: (service: string) => string, text: (what: string) => string) => ({ subject, text });

export const mail = {
  greeting: (name: string) => (name === '' ? 'Bonjour,' : `Bonjour ${name},`),
  quoted: (name: string) => `« ${name} »`,
  colon: ' : ',
  unnamed: '(nom non affiché)',
  footer: (service: string, host: string) =>
    `${service}, ${host}. Cet e-mail a été envoyé automatiquement : les réponses ne sont pas lues.`,
  codeText: 'Ou saisissez ce code sur la page qui le demande :',

  verify_email: {
    subject: (service: string) => `Confirmez votre adresse pour ${service}`,
    text: (email: string, service: string) =>
      `Quelqu’un, sans doute vous, utilise l’adresse ${email} pour un compte ${service}. Confirmez qu’elle est bien la vôtre.`,
    action: 'Confirmer mon adresse',
    closing:
      'Le lien et le code sont valables un jour. Si ce n’était pas vous, ignorez cet e-mail : sans confirmation, l’adresse reste non vérifiée.',
  },
  change_email: {
    subject: (service: string) => `Confirmez votre nouvelle adresse pour ${service}`,
    text: (email: string, service: string) =>
      `Vous avez demandé que votre compte ${service} passe à l’adresse ${email}. Rien ne change tant que vous ne l’avez pas confirmé.`,
    action: 'Confirmer ma nouvelle adresse',
    closing:
      'Le lien et le code sont valables un jour. Si vous n’avez rien demandé, ignorez cet e-mail : rien ne changera.',
  },
  reset_password: {
    subject: (service: string) => `Choisissez un nouveau mot de passe pour ${service}`,
    text: (service: string) =>
      `Quelqu’un, sans doute vous, a demandé un nouveau mot de passe pour votre compte ${service}.`,
    action: 'Choisir un nouveau mot de passe',
    closing:
      'Le lien est valable 30 minutes et ne sert qu’une fois. Si ce n’était pas vous, ignorez cet e-mail : votre mot de passe reste le même.',
  },
  first_password: {
    subject: (service: string) => `Choisissez un mot de passe pour ${service}`,
    text: (service: string) =>
      `Quelqu’un, sans doute vous, a demandé à choisir le mot de passe de votre compte ${service}, qui n’en a pas encore.`,
    action: 'Choisir un mot de passe',
    closing:
      'Le lien est valable 30 minutes et ne sert qu’une fois. Si ce n’était pas vous, ignorez cet e-mail : rien ne changera.',
  },
  password_offered: {
    subject: (service: string) => `Choisissez un nouveau mot de passe pour ${service}`,
    text: (service: string) =>
      `Les responsables ${de(service)} vous envoient ce lien pour choisir un nouveau mot de passe. L’actuel reste valable tant que vous n’en avez pas choisi d’autre.`,
    action: 'Choisir un nouveau mot de passe',
    closing:
      'Le lien est valable 30 minutes et ne sert qu’une fois. Passé ce délai, demandez-en un autre depuis la page de connexion. Si votre mot de passe vous convient, ignorez cet e-mail.',
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
      'Une fois dans votre compte, vous pourrez créer une clé d’accès ou choisir un mot de passe. Si ce n’était pas vous, ignorez cet e-mail. Si vous avez tout perdu :',
  },
  address_taken: {
    subject: (service: string) => `Votre adresse a déjà un compte ${service}`,
    text: (email: string, service: string) =>
      `Quelqu’un a voulu utiliser l’adresse ${email} pour son compte ${service}, mais elle a déjà un compte : le vôtre. Rien n’a changé.`,
    closing:
      'Si c’était vous, connectez-vous avec cette adresse, ou changez d’abord celle de ce compte. Si ce n’était pas vous, il n’y a rien à faire.',
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
      `La page montre tout ce qui viendrait avec l’${what} ; vous pourrez l’accepter ou la refuser. Si vous n’attendiez rien, ignorez cet e-mail : la proposition s’éteint d’elle-même.`,
  },
  sign_in: {
    subject: (service: string) => `Confirmez votre connexion à ${service}`,
    text: (service: string) =>
      `Quelqu’un, sans doute vous, a saisi le mot de passe de votre compte ${service} dans un navigateur que nous ne connaissons pas. De nombreux mots de passe incorrects avaient été essayés auparavant : c’est pourquoi nous vous demandons de confirmer.`,
    action: 'Se connecter',
    closing:
      'Le lien et le code sont valables 30 minutes, dans le navigateur où le mot de passe a été saisi. Si ce n’était pas vous, quelqu’un connaît votre mot de passe : choisissez-en un nouveau.',
  },
  reset_asked: {
    subject: (service: string) => `Le second facteur de votre compte ${service} va être réinitialisé`,
    text: 'Il a été demandé aux responsables de ce service de retirer l’application d’authentification, les codes de secours et les navigateurs de confiance de votre compte. Le mot de passe suffira alors pour l’ouvrir.',
    textWithPasskeys:
      'Il a été demandé aux responsables de ce service de retirer les clés d’accès, l’application d’authentification, les codes de secours et les navigateurs de confiance de votre compte. Le mot de passe suffira alors pour l’ouvrir.',
    until: 'Prend effet :',
    action: 'Arrêter la réinitialisation',
    closing:
      'Si vous les avez perdus, il n’y a rien à faire : connectez-vous avec votre mot de passe le moment venu. Si vous n’avez rien demandé, arrêtez-la : tout restera inchangé, et il n’est pas nécessaire de vous connecter.',
  },

  activity_reported: {
    subject: (service: string) => `Votre compte ${service} a été sécurisé`,
    text: 'Vous avez signalé que quelqu’un d’autre utilisait votre compte. Toutes les sessions sont fermées, les accès des applications révoqués et l’ancien mot de passe ne fonctionne plus.',
    taken:
      'Un autre compte utilise maintenant votre ancienne adresse : nous n’avons pas pu la rétablir. Contactez les responsables de ce service.',
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
  notices: {
    new_sign_in: notice(
      (service) => `Nouvelle connexion à votre compte ${service}`,
      () => 'Quelqu’un vient de se connecter à votre compte avec un navigateur que nous ne connaissions pas.',
    ),
    password_changed: notice(
      (service) => `Le mot de passe de votre compte ${service} a changé`,
      () =>
        'Le mot de passe de votre compte vient d’être changé. Toutes les autres sessions ont été fermées et l’accès des applications a été révoqué.',
    ),
    password_reset: notice(
      (service) => `Le mot de passe de votre compte ${service} a été réinitialisé`,
      () =>
        'Un nouveau mot de passe vient d’être choisi au moyen d’un lien envoyé à cette adresse. Toutes les sessions ont été fermées et l’accès des applications a été révoqué.',
    ),
    password_removed: notice(
      (service) => `Votre compte ${service} n’a plus de mot de passe`,
      () =>
        'Le mot de passe de votre compte vient d’être retiré : seuls vos clés d’accès et vos codes de secours l’ouvrent désormais.',
    ),
    password_added: notice(
      (service) => `Votre compte ${service} a un mot de passe`,
      () => 'Un mot de passe vient d’être choisi pour votre compte, qui n’en avait pas : il l’ouvre aussi.',
    ),
    email_change_requested: notice(
      (service) => `Changement d’adresse demandé pour votre compte ${service}`,
      (email) =>
        `Quelqu’un a demandé que votre compte passe à l’adresse ${email}. Le changement se fera quand cette adresse l’aura confirmé.`,
    ),
    email_changed: notice(
      (service) => `L’adresse de votre compte ${service} a changé`,
      (email) =>
        `Votre compte utilise désormais l’adresse ${email}. Cet e-mail est le dernier que nous envoyons à l’ancienne ; le lien ci-dessous la rétablit.`,
    ),
    secret_created: notice(
      (service) => `Nouveau secret pour une application sur ${service}`,
      (application) => `Un nouveau secret vient d’être créé pour votre application ${application}.`,
    ),
    secret_ended: notice(
      (service) => `Secret d’application révoqué sur ${service}`,
      (application) => `Un secret de votre application ${application} vient d’être révoqué.`,
    ),
    application_deleted: notice(
      (service) => `Une de vos applications a été supprimée sur ${service}`,
      (application) =>
        `Votre application ${application} vient d’être supprimée. Plus personne ne peut s’y connecter.`,
    ),
    application_transfer_offered: notice(
      (service) => `Une de vos applications est proposée à un autre compte sur ${service}`,
      (application) =>
        `Votre application ${application} vient d’être proposée à un autre compte. Elle lui appartiendra s’il l’accepte.`,
    ),
    application_transferred: notice(
      (service) => `Une de vos applications a changé de propriétaire sur ${service}`,
      (application) => `Votre application ${application} appartient désormais à un autre compte.`,
    ),
    application_changed: notice(
      (service) => `Réglages d’une application modifiés sur ${service}`,
      (application) =>
        `Les URL de retour ou le protocole de votre application ${application} viennent d’être modifiés.`,
    ),
    application_received: notice(
      (service) => `Une application appartient désormais à votre compte ${service}`,
      (application) =>
        `Vous avez accepté l’application ${application} : elle appartient désormais à votre compte.`,
    ),
    api_secret_created: notice(
      (service) => `Nouveau secret pour une API sur ${service}`,
      (api) => `Un nouveau secret vient d’être créé pour votre API ${api}.`,
    ),
    api_secret_ended: notice(
      (service) => `Secret d’API révoqué sur ${service}`,
      (api) => `Un secret de votre API ${api} vient d’être révoqué.`,
    ),
    api_keys_changed: notice(
      (service) => `Clés d’une API modifiées sur ${service}`,
      (api) => `Les clés publiques de votre API ${api} viennent d’être modifiées.`,
    ),
    api_transfer_offered: notice(
      (service) => `Une de vos API est proposée à un autre compte sur ${service}`,
      (api) =>
        `Votre API ${api} vient d’être proposée à un autre compte. Elle lui appartiendra s’il l’accepte.`,
    ),
    api_transferred: notice(
      (service) => `Une de vos API a changé de propriétaire sur ${service}`,
      (api) => `Votre API ${api} appartient désormais à un autre compte.`,
    ),
    api_received: notice(
      (service) => `Une API appartient désormais à votre compte ${service}`,
      (api) => `Vous avez accepté l’API ${api} : elle appartient désormais à votre compte.`,
    ),
    api_deleted: notice(
      (service) => `Une de vos API a été supprimée sur ${service}`,
      (api) => `Votre API ${api} vient d’être supprimée. Plus aucun jeton n’est donné pour elle.`,
    ),
    api_access_cut: notice(
      (service) => `Accès à l’une de vos API coupé sur ${service}`,
      (application) =>
        `Vous venez de couper l’accès ${de(application)} à l’une de vos API : ses jetons pour cette API ne valent plus rien, et elle n’en obtient plus.`,
    ),
    agent_access_given: notice(
      (service) => `Un agent a accès à votre compte ${service}`,
      (agent) =>
        `Vous venez d’autoriser l’agent ${agent} pour la première fois. Votre compte montre à quoi il a accès et permet de le révoquer à tout moment.`,
    ),
    sensitive_access_given: notice(
      (service) => `Accès sensible autorisé depuis votre compte ${service}`,
      (application) =>
        `Vous venez d’autoriser un accès sensible à ${application}. Votre compte montre à quoi cette application a accès et permet de le révoquer à tout moment.`,
    ),
    service_access_granted: notice(
      (service) => `Accès accordé à l’une de vos API sur ${service}`,
      (application) =>
        `Vous venez d’accorder à ${application} un accès à l’une de vos API, pour son propre compte. Vous pouvez y mettre fin à tout moment.`,
    ),
    api_access_restored: notice(
      (service) => `Accès à l’une de vos API rétabli sur ${service}`,
      (application) =>
        `Vous venez de laisser ${application} entrer à nouveau dans l’une de vos API : elle peut désormais demander des jetons pour elle.`,
    ),
    sessions_ended: notice(
      (service) => `Des sessions de votre compte ${service} ont été fermées`,
      () => 'Une ou plusieurs sessions de votre compte viennent d’être fermées depuis une autre session.',
    ),
    app_added: notice(
      (service) => `Application d’authentification ajoutée à votre compte ${service}`,
      () =>
        'Une application d’authentification vient d’être configurée pour votre compte : son code sera demandé après votre mot de passe.',
    ),
    app_removed: notice(
      (service) => `Application d’authentification retirée de votre compte ${service}`,
      () =>
        'L’application d’authentification de votre compte vient d’être retirée : votre mot de passe suffit de nouveau pour l’ouvrir.',
    ),
    recovery_codes_made: notice(
      (service) => `Nouveaux codes de secours pour votre compte ${service}`,
      () =>
        'Dix codes de secours viennent d’être créés pour votre compte. Les précédents ne fonctionnent plus.',
    ),
    second_factor_reset: notice(
      (service) => `Second facteur de votre compte ${service} réinitialisé`,
      () =>
        'Les responsables de ce service ont retiré l’application d’authentification, les codes de secours et les navigateurs de confiance de votre compte, ainsi que ses clés d’accès si cela a été demandé. Un mot de passe suffit désormais pour l’ouvrir : protégez-le de nouveau dès que possible.',
    ),
    passkey_added: notice(
      (service) => `Clé d’accès ajoutée à votre compte ${service}`,
      () => 'Une clé d’accès vient d’être créée pour votre compte : elle suffit pour l’ouvrir.',
    ),
    passkey_renamed: notice(
      (service) => `Clé d’accès de votre compte ${service} renommée`,
      (name) => `Une clé d’accès de votre compte vient de recevoir un autre nom : ${name}.`,
    ),
    passkey_removed: notice(
      (service) => `Clé d’accès retirée de votre compte ${service}`,
      (name) => `La clé d’accès ${name} de votre compte vient d’être retirée : elle ne l’ouvre plus.`,
    ),
    data_exported: notice(
      (service) => `Les données de votre compte ${service} ont été téléchargées`,
      () =>
        'Un fichier avec toutes les données de votre compte vient d’être téléchargé. Il ne contient ni votre mot de passe ni aucun secret.',
    ),
  },

  announcementClosing:
    'Si vous ne vous y attendiez pas, ou si vous avez une question, adressez-vous aux responsables de ce service.',
  announcements: {
    password_guessed: notice(
      (service) => `Quelqu’un cherche à deviner le mot de passe de votre compte ${service}`,
      () =>
        'Cent mots de passe incorrects ont été essayés sur votre compte depuis le dernier qui était juste. Aucun n’a fonctionné. Jusqu’à votre prochaine connexion, un navigateur que nous ne connaissons pas aura besoin, en plus du mot de passe, d’un e-mail de notre part. Si ce mot de passe vous sert aussi ailleurs, choisissez-en un nouveau.',
    ),
    account_deleted: notice(
      (service) => `Votre compte ${service} a été supprimé`,
      () =>
        'Votre compte vient d’être supprimé avec ses données et ses applications, comme cela a été demandé depuis l’une de ses sessions. Il n’en reste rien, et l’adresse peut servir à un nouveau compte.',
    ),
    account_removed: notice(
      (service) => `Votre compte ${service} a été supprimé`,
      () => 'Les responsables de ce service ont supprimé votre compte, avec ses données et ses applications.',
    ),
    account_suspended: notice(
      (service) => `Votre compte ${service} est suspendu`,
      () =>
        'Les responsables de ce service ont suspendu votre compte. Tant qu’il l’est, personne ne peut s’y connecter, et les applications n’y ont plus accès. Rien n’a été effacé.',
    ),
    account_unsuspended: notice(
      (service) => `Votre compte ${service} n’est plus suspendu`,
      () =>
        'La suspension de votre compte est levée. Vous pouvez vous y connecter de nouveau ; les applications vous demanderont de vous reconnecter.',
    ),
    access_ended: notice(
      (service) => `Les sessions de votre compte ${service} ont été fermées`,
      () =>
        'Les responsables de ce service ont fermé toutes les sessions de votre compte et révoqué l’accès des applications. Votre mot de passe reste le même : il suffit de vous reconnecter.',
    ),
    password_set: notice(
      (service) => `Le mot de passe de votre compte ${service} a été remplacé`,
      () =>
        'Les responsables de ce service ont donné un nouveau mot de passe à votre compte. Toutes les sessions ont été fermées et l’accès des applications a été révoqué.',
    ),
    second_factor_reset_stopped: notice(
      (service) => `Le second facteur de votre compte ${service} reste inchangé`,
      () =>
        'La réinitialisation de votre second facteur a été arrêtée. Votre application d’authentification, vos codes de secours et vos navigateurs de confiance restent inchangés.',
    ),
    passkey_behind: notice(
      (service) => `Une clé d’accès de votre compte ${service} a été refusée`,
      () =>
        'Quelqu’un vient de présenter une clé d’accès de votre compte dont le compteur était en retard : il en existe peut-être une copie. Elle n’a rien ouvert. Retirez cette clé d’accès de votre compte, puis créez-en une autre.',
    ),
    codes_tried: notice(
      (service) => `Quelqu’un connaît le mot de passe de votre compte ${service}`,
      () =>
        'Le bon mot de passe vient d’être saisi, puis plusieurs codes incorrects. Le compte est resté fermé. Si ce n’était pas vous, choisissez un nouveau mot de passe dès maintenant.',
    ),
    codes_used_up: notice(
      (service) => `Beaucoup de codes incorrects pour votre compte ${service}`,
      () =>
        'Le bon mot de passe de votre compte continue d’être suivi de codes incorrects. Depuis les navigateurs que nous ne reconnaissons pas, la plupart des codes ne sont plus examinés pour l’instant ; vos codes de secours et les navigateurs où vous vous êtes déjà connecté fonctionnent comme avant. Choisissez un nouveau mot de passe : personne n’arrivera plus jusqu’au code.',
    ),
    operator_granted: notice(
      (service) => `Vous êtes responsable ${de(service)}`,
      () => 'Votre compte peut désormais gérer ce service : comptes, applications et journal.',
    ),
    operator_revoked: notice(
      (service) => `Vous n’êtes plus responsable ${de(service)}`,
      () => 'Votre compte ne peut plus gérer ce service. Rien d’autre ne change.',
    ),
    api_suspended: notice(
      (service) => `Une de vos API est suspendue sur ${service}`,
      (api) =>
        `Les responsables de ce service ont suspendu votre API ${api}. Tant qu’elle l’est, aucun jeton n’est donné pour elle. Rien n’a été effacé.`,
    ),
    api_unsuspended: notice(
      (service) => `Une de vos API n’est plus suspendue sur ${service}`,
      (api) => `Les responsables de ce service ont levé la suspension de votre API ${api}.`,
    ),
    api_access_asked: notice(
      (service) => `Une application demande un accès à l’une de vos API sur ${service}`,
      (application) =>
        `L’application ${application} demande un accès à l’une de vos API, pour son propre compte. Rien ne lui est donné tant que vous n’avez pas répondu, dans la console, à la page « Demandes » de votre API.`,
    ),
    api_access_granted: notice(
      (service) => `Accès à une API accordé sur ${service}`,
      (api) =>
        `Le propriétaire de l’API ${api} a accordé à l’une de vos applications un accès pour son propre compte. La page « API » de l’application, dans la console, dit pour quelles portées.`,
    ),
    api_access_refused: notice(
      (service) => `Accès à une API refusé sur ${service}`,
      (api) =>
        `Le propriétaire de l’API ${api} n’a pas accordé à l’une de vos applications l’accès qu’elle demandait.`,
    ),
    api_access_ended: notice(
      (service) => `Fin d’un accès à une API sur ${service}`,
      (api) =>
        `L’accès qu’une application avait à l’API ${api} pour son propre compte, ou qu’elle demandait, a pris fin : l’autre propriétaire l’a voulu ainsi. Ses jetons ne valent plus rien.`,
    ),
    application_suspended: notice(
      (service) => `Une de vos applications est suspendue sur ${service}`,
      (application) =>
        `Les responsables de ce service ont suspendu votre application ${application}. Tant qu’elle l’est, personne ne peut s’y connecter, et ses jetons sont révoqués. Rien n’a été effacé.`,
    ),
    application_unsuspended: notice(
      (service) => `Une de vos applications n’est plus suspendue sur ${service}`,
      (application) =>
        `La suspension de votre application ${application} est levée : on peut s’y connecter de nouveau.`,
    ),
    application_removed: notice(
      (service) => `Une de vos applications a été supprimée sur ${service}`,
      (application) =>
        `Les responsables de ce service ont supprimé votre application ${application}. Plus personne ne peut s’y connecter.`,
    ),
    application_updated: notice(
      (service) => `Une de vos applications a été modifiée sur ${service}`,
      (application) =>
        `Les responsables de ce service ont modifié des réglages de votre application ${application}. Vous les trouverez tous sur ses pages.`,
    ),
    api_removed: notice(
      (service) => `Une de vos API a été supprimée sur ${service}`,
      (api) =>
        `Les responsables de ce service ont supprimé votre API ${api}. Plus aucun jeton n’est donné pour elle.`,
    ),
    api_secret_removed: notice(
      (service) => `Secret d’API révoqué sur ${service}`,
      (api) =>
        `Les responsables de ce service ont révoqué un secret de votre API ${api} : ce qui l’utilise encore est refusé.`,
    ),
    api_secret_replaced: notice(
      (service) => `Nouveau secret pour une API sur ${service}`,
      (api) =>
        `Les responsables de ce service ont créé un nouveau secret pour votre API ${api}. Demandez-le-leur si vous ne l’avez pas reçu.`,
    ),
    secret_removed: notice(
      (service) => `Secret d’application révoqué sur ${service}`,
      (application) =>
        `Les responsables de ce service ont révoqué un secret de votre application ${application} : ce qui l’utilise encore est refusé.`,
    ),
    secret_replaced: notice(
      (service) => `Nouveau secret pour une application sur ${service}`,
      (application) =>
        `Les responsables de ce service ont créé un nouveau secret pour votre application ${application}. Demandez-le-leur si vous ne l’avez pas reçu.`,
    ),
  },

  dev: {
    title: 'E-mails conservés ici',
    lead: 'Aucun serveur de messagerie n’est configuré : les cent derniers e-mails restent dans ce processus, jusqu’à son arrêt. Cette page n’existe pas en production.',
    empty:
      'Aucun e-mail pour l’instant. Créez un compte ou demandez un nouveau mot de passe : l’e-mail apparaîtra ici.',
    back: 'Tous les e-mails',
    to: 'À',
    from: 'De',
    at: 'Date',
    asHtml: 'Voir la version mise en forme',
    links: 'Liens de cet e-mail',
  },
};
