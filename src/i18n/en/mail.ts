// Owns the English texts of: mail.
import type { mail as reference } from '../fr/mail.ts';

const notice = (subject: (service: string) => string, text: (what: string) => string) => ({ subject, text });

export const mail: typeof reference = {
  greeting: (name: string) => (name === '' ? 'Hello,' : `Hello ${name},`),
  quoted: (name: string) => `“${name}”`,
  colon: ': ',
  unnamed: '(name not shown)',
  footer: (service: string, host: string) =>
    `${service}, ${host}. This email was sent automatically: replies are not read.`,
  codeText: 'Or enter this code on the page that asks for it:',

  verify_email: {
    subject: (service: string) => `Confirm your address for ${service}`,
    text: (email: string, service: string) =>
      `Someone, probably you, is using the address ${email} for an account with ${service}. Confirm that it is yours.`,
    action: 'Confirm my address',
    closing:
      'The link and the code work for one day. If it was not you, ignore this email: without confirmation, the address stays unverified.',
  },
  change_email: {
    subject: (service: string) => `Confirm your new address for ${service}`,
    text: (email: string, service: string) =>
      `You asked to change the address of your ${service} account to ${email}. Nothing changes until you confirm it.`,
    action: 'Confirm my new address',
    closing:
      'The link and the code work for one day. If you did not ask for this, ignore this email: nothing will change.',
  },
  reset_password: {
    subject: (service: string) => `Choose a new password for ${service}`,
    text: (service: string) => `Someone, probably you, asked for a new password for your ${service} account.`,
    action: 'Choose a new password',
    closing:
      'The link works once, within 30 minutes. If it was not you, ignore this email: your password stays the same.',
  },
  first_password: {
    subject: (service: string) => `Choose a password for ${service}`,
    text: (service: string) =>
      `Someone, probably you, asked to choose the password of your ${service} account, which does not have one yet.`,
    action: 'Choose a password',
    closing:
      'The link works once, within 30 minutes. If it was not you, ignore this email: nothing will change.',
  },
  password_offered: {
    subject: (service: string) => `Choose a new password for ${service}`,
    text: (service: string) =>
      `The people who run ${service} have sent you this link to choose a new password. Your current one keeps working until you do.`,
    action: 'Choose a new password',
    closing:
      'The link works once, within 30 minutes. After that, you can ask for another one on the sign-in page. If you are happy with your password, ignore this email.',
  },
  invitation: {
    subject: (service: string) => `Your ${service} account is ready`,
    text: (service: string) =>
      `An account has been created for you on ${service}. All that is left is to choose your password.`,
    action: 'Choose my password',
    closing:
      'The link works once, within seven days. If you were not expecting this, ignore this email: without a password, nobody can use the account.',
  },

  without_password: {
    subject: (service: string) => `Your ${service} account has no password`,
    text: (service: string) =>
      `Someone, probably you, asked for a new password for your ${service} account. It has none: you sign in with a passkey, or with one of your recovery codes.`,
    action: 'Sign in with a recovery code',
    closing:
      'Once you are in, you can create a passkey or choose a password. If it was not you, ignore this email. If you have lost everything:',
  },
  address_taken: {
    subject: (service: string) => `Your address already has an account with ${service}`,
    text: (email: string, service: string) =>
      `Someone tried to use the address ${email} for their ${service} account, but it already has an account: yours. Nothing has changed.`,
    closing:
      'If it was you, sign in with this address, or change the address of this account first. If it was not you, there is nothing to do.',
  },
  offered: {
    what: { application: 'application', api: 'API' },
    subject: (what, service) => `You have been offered an ${what} on ${service}`,
    text: (what, name, service) =>
      `Someone wants to transfer the ${what} ${name} on ${service} to you. Nothing changes until you accept.`,
    from: 'Offered by:',
    until: 'Until:',
    action: 'See the offer',
    closing: (what) =>
      `The page shows everything that would come with the ${what}; you can accept or decline it there. If you were not expecting this, ignore this message: the offer expires by itself.`,
  },
  sign_in: {
    subject: (service: string) => `Confirm your sign-in to ${service}`,
    text: (service: string) =>
      `Someone, probably you, entered the password of your ${service} account in a browser that we do not recognise. Many wrong passwords had been tried before, so we ask you to confirm.`,
    action: 'Sign in',
    closing:
      'The link and the code work for 30 minutes, in the browser where the password was entered. If it was not you, someone knows your password: choose a new one.',
  },
  reset_asked: {
    subject: (service: string) => `The second factor of your ${service} account is about to be reset`,
    text: 'The people who run this service were asked to remove the authenticator app, the recovery codes and the trusted browsers of your account. After that, a password alone opens it.',
    textWithPasskeys:
      'The people who run this service were asked to remove the passkeys, the authenticator app, the recovery codes and the trusted browsers of your account. After that, a password alone opens it.',
    until: 'Takes effect:',
    action: 'Stop the reset',
    closing:
      'If you have lost them, there is nothing to do: sign in with your password once the time has come. If you did not ask for this, stop it: everything stays as it is, and you need not be signed in.',
  },

  activity_reported: {
    subject: (service: string) => `Your ${service} account has been secured`,
    text: 'You reported that someone else was using your account. All sessions have ended, the access of applications is revoked and the old password no longer works.',
    taken:
      'Another account now uses your previous address, so we could not restore it. Contact the people who run this service.',
    removed: 'What has been removed',
    review: 'To review',
    account: 'Your account',
    action: 'Choose a new password',
    closing: 'The link lets you choose a new password and get back into your account.',
    reviewText:
      'What is to review was changed or deleted since the reported session started: we did not restore it.',
  },

  at: 'When:',
  address: 'From the IP address:',
  browser: 'With:',
  notMe: 'This was not me',
  notMeClosing:
    'If it was you, there is nothing to do. If not, open this link within seven days: a page will tell you what will be stopped, and ask you to confirm.',
  notices: {
    new_sign_in: notice(
      (service) => `New sign-in to your ${service} account`,
      () => 'Someone has just signed in to your account in a browser that we did not recognise.',
    ),
    password_changed: notice(
      (service) => `The password of your ${service} account has changed`,
      () =>
        'The password of your account has just been changed. All other sessions have ended, and the access of applications has been revoked.',
    ),
    password_reset: notice(
      (service) => `The password of your ${service} account was reset`,
      () =>
        'A new password has just been chosen with a link sent to this address. All sessions have ended, and the access of applications has been revoked.',
    ),
    password_removed: notice(
      (service) => `Your ${service} account no longer has a password`,
      () =>
        'The password of your account has just been removed: only your passkeys and your recovery codes open it now.',
    ),
    password_added: notice(
      (service) => `Your ${service} account has a password`,
      () => 'A password has just been chosen for your account, which had none: it opens your account, too.',
    ),
    email_change_requested: notice(
      (service) => `Address change requested for your ${service} account`,
      (email) =>
        `Someone has asked to change the address of your account to ${email}. This will happen once that address has been confirmed.`,
    ),
    email_changed: notice(
      (service) => `The address of your ${service} account has changed`,
      (email) =>
        `Your account now uses the address ${email}. This is the last email we send to the old one; the link below restores it.`,
    ),
    secret_created: notice(
      (service) => `New secret for an application on ${service}`,
      (application) => `A new secret has just been created for your application ${application}.`,
    ),
    secret_ended: notice(
      (service) => `Application secret revoked on ${service}`,
      (application) => `A secret of your application ${application} has just been revoked.`,
    ),
    application_deleted: notice(
      (service) => `One of your applications was deleted from ${service}`,
      (application) =>
        `Your application ${application} has just been deleted. Nobody can sign in to it any more.`,
    ),
    application_transfer_offered: notice(
      (service) => `One of your applications has been offered to another account on ${service}`,
      (application) =>
        `Your application ${application} has just been offered to another account. It will belong to that account if the offer is accepted.`,
    ),
    application_transferred: notice(
      (service) => `One of your applications has a new owner on ${service}`,
      (application) => `Your application ${application} now belongs to another account.`,
    ),
    application_changed: notice(
      (service) => `Application settings changed on ${service}`,
      (application) =>
        `The callback URLs or the protocol settings of your application ${application} have just been changed.`,
    ),
    application_received: notice(
      (service) => `An application now belongs to your ${service} account`,
      (application) => `You have accepted the application ${application}: it now belongs to your account.`,
    ),
    api_secret_created: notice(
      (service) => `New secret for an API on ${service}`,
      (api) => `A new secret has just been created for your API ${api}.`,
    ),
    api_secret_ended: notice(
      (service) => `API secret revoked on ${service}`,
      (api) => `A secret of your API ${api} has just been revoked.`,
    ),
    api_keys_changed: notice(
      (service) => `Keys of an API changed on ${service}`,
      (api) => `The public keys of your API ${api} have just been changed.`,
    ),
    api_transfer_offered: notice(
      (service) => `One of your APIs has been offered to another account on ${service}`,
      (api) =>
        `Your API ${api} has just been offered to another account. It will belong to that account if the offer is accepted.`,
    ),
    api_transferred: notice(
      (service) => `One of your APIs has a new owner on ${service}`,
      (api) => `Your API ${api} now belongs to another account.`,
    ),
    api_received: notice(
      (service) => `An API now belongs to your ${service} account`,
      (api) => `You have accepted the API ${api}: it now belongs to your account.`,
    ),
    api_deleted: notice(
      (service) => `One of your APIs was deleted from ${service}`,
      (api) => `Your API ${api} has just been deleted. No more tokens are issued for it.`,
    ),
    api_access_cut: notice(
      (service) => `An application was cut off from one of your APIs on ${service}`,
      (application) =>
        `You have cut ${application} off from one of your APIs: its tokens for that API have ended, and it gets no others.`,
    ),
    agent_access_given: notice(
      (service) => `An agent has access to your ${service} account`,
      (agent) =>
        `You have just allowed the agent ${agent} to use your account for the first time. Your account lists what it may access, and lets you revoke it at any time.`,
    ),
    sensitive_access_given: notice(
      (service) => `Sensitive access allowed from your ${service} account`,
      (application) =>
        `You have just allowed ${application} sensitive access. Your account lists what it may access, and lets you revoke it at any time.`,
    ),
    service_access_granted: notice(
      (service) => `Access granted to one of your APIs on ${service}`,
      (application) =>
        `You have granted ${application} access to one of your APIs, on its own behalf. You can end it at any time.`,
    ),
    api_access_restored: notice(
      (service) => `An application may access one of your APIs again on ${service}`,
      (application) =>
        `You have let ${application} into one of your APIs again: it can ask people for tokens for it from now on.`,
    ),
    sessions_ended: notice(
      (service) => `Sessions of your ${service} account were ended`,
      () => 'One or more sessions of your account have just been ended from another session.',
    ),
    app_added: notice(
      (service) => `Authenticator app added to your ${service} account`,
      () =>
        'An authenticator app has just been set up for your account: its code will be asked for after your password.',
    ),
    app_removed: notice(
      (service) => `Authenticator app removed from your ${service} account`,
      () =>
        'The authenticator app of your account has just been removed: your password alone opens it again.',
    ),
    recovery_codes_made: notice(
      (service) => `New recovery codes for your ${service} account`,
      () => 'Ten recovery codes have just been created for your account. The previous ones no longer work.',
    ),
    second_factor_reset: notice(
      (service) => `The second factor of your ${service} account was reset`,
      () =>
        'The people who run this service have removed the authenticator app, the recovery codes and the trusted browsers of your account, and its passkeys where that was asked for. A password alone opens it now: protect it again as soon as you can.',
    ),
    passkey_added: notice(
      (service) => `A passkey was added to your ${service} account`,
      () => 'A passkey has just been created for your account. It opens the account by itself.',
    ),
    passkey_renamed: notice(
      (service) => `A passkey of your ${service} account was renamed`,
      (name) => `A passkey of your account has just been given another name: ${name}.`,
    ),
    passkey_removed: notice(
      (service) => `A passkey was removed from your ${service} account`,
      (name) => `The passkey ${name} of your account has just been removed. It no longer opens the account.`,
    ),
    data_exported: notice(
      (service) => `The data of your ${service} account was downloaded`,
      () =>
        'A file with all the data of your account has just been downloaded. It does not contain your password or any secret.',
    ),
  },

  announcementClosing:
    'If you did not expect this, or have a question, contact the people who run this service.',
  announcements: {
    password_guessed: notice(
      (service) => `Someone is trying to guess the password of your ${service} account`,
      () =>
        'A hundred wrong passwords have been tried on your account since the last correct one. None of them worked. Until you next sign in, a browser that we do not recognise needs an email from us as well as the password. If you use this password anywhere else, choose a new one.',
    ),
    account_deleted: notice(
      (service) => `Your ${service} account was deleted`,
      () =>
        'Your account has just been deleted with its data and applications, as requested from one of its sessions. Nothing is left of it, and the address can be used for a new account.',
    ),
    account_removed: notice(
      (service) => `Your ${service} account was deleted`,
      () => 'The people who run this service have deleted your account, with its data and applications.',
    ),
    account_suspended: notice(
      (service) => `Your ${service} account is suspended`,
      () =>
        'The people who run this service have suspended your account. Until they lift the suspension, nobody can sign in to it, and applications have no access to it. Nothing has been erased.',
    ),
    account_unsuspended: notice(
      (service) => `Your ${service} account is no longer suspended`,
      () =>
        'The suspension of your account has been lifted. You can sign in again, and applications will ask you to.',
    ),
    access_ended: notice(
      (service) => `The sessions of your ${service} account were ended`,
      () =>
        'The people who run this service have ended all sessions of your account and revoked the access of applications. Your password stays the same: just sign in again.',
    ),
    password_set: notice(
      (service) => `The password of your ${service} account was replaced`,
      () =>
        'The people who run this service have set a new password for your account. All sessions have ended, and the access of applications has been revoked.',
    ),
    second_factor_reset_stopped: notice(
      (service) => `The second factor of your ${service} account stays as it is`,
      () =>
        'The reset of your second factor has been stopped. Your authenticator app, your recovery codes and your trusted browsers stay as they are.',
    ),
    passkey_behind: notice(
      (service) => `A passkey of your ${service} account was refused`,
      () =>
        'Someone has just used a passkey of your account whose counter was behind: there may be a copy of it. It opened nothing. Remove this passkey from your account, then create another one.',
    ),
    codes_tried: notice(
      (service) => `Someone knows the password of your ${service} account`,
      () =>
        'The correct password has just been entered, followed by several wrong codes. Your account stayed closed. If it was not you, choose a new password now.',
    ),
    codes_used_up: notice(
      (service) => `Many wrong codes for your ${service} account`,
      () =>
        'The correct password of your account keeps being followed by wrong codes. From browsers that we do not recognise, most codes are no longer checked for now; your recovery codes and the browsers that you have already signed in with work as before. Choose a new password: then nobody gets as far as the code.',
    ),
    operator_granted: notice(
      (service) => `You’re now an operator of ${service}`,
      () => 'Your account can now manage this service: accounts, applications and audit log.',
    ),
    operator_revoked: notice(
      (service) => `You’re no longer an operator of ${service}`,
      () => 'Your account can no longer manage this service. Nothing else about it changes.',
    ),
    api_suspended: notice(
      (service) => `One of your APIs is suspended on ${service}`,
      (api) =>
        `The people who run this service have suspended your API ${api}. Until they lift the suspension, no tokens are issued for it. Nothing has been erased.`,
    ),
    api_unsuspended: notice(
      (service) => `One of your APIs is no longer suspended on ${service}`,
      (api) => `The people who run this service have lifted the suspension of your API ${api}.`,
    ),
    api_access_asked: notice(
      (service) => `An application requests access to one of your APIs on ${service}`,
      (application) =>
        `The application ${application} requests access to one of your APIs, on its own behalf. It is given nothing until you have answered, in the console, on the “Requests” page of your API.`,
    ),
    api_access_granted: notice(
      (service) => `Access to an API granted on ${service}`,
      (api) =>
        `The owner of the API ${api} has granted one of your applications access on its own behalf. The application’s “APIs” page, in the console, says for which scopes.`,
    ),
    api_access_refused: notice(
      (service) => `Access to an API refused on ${service}`,
      (api) =>
        `The owner of the API ${api} has not granted one of your applications the access that it requested.`,
    ),
    api_access_ended: notice(
      (service) => `Access to an API has ended on ${service}`,
      (api) =>
        `The access that an application had to the API ${api} on its own behalf, or had requested, has ended, at the word of the other owner. Its tokens are worth nothing any more.`,
    ),
    application_suspended: notice(
      (service) => `One of your applications is suspended on ${service}`,
      (application) =>
        `The people who run this service have suspended your application ${application}. Until they lift the suspension, nobody can sign in to it, and its tokens have been revoked. Nothing has been erased.`,
    ),
    application_unsuspended: notice(
      (service) => `One of your applications is no longer suspended on ${service}`,
      (application) =>
        `The suspension of your application ${application} has been lifted: people can sign in to it again.`,
    ),
    application_removed: notice(
      (service) => `One of your applications was deleted from ${service}`,
      (application) =>
        `The people who run this service have deleted your application ${application}. Nobody can sign in to it any more.`,
    ),
    application_updated: notice(
      (service) => `One of your applications was changed on ${service}`,
      (application) =>
        `The people who run this service have changed settings of your application ${application}. You can see them all on its pages.`,
    ),
    api_removed: notice(
      (service) => `One of your APIs was deleted from ${service}`,
      (api) =>
        `The people who run this service have deleted your API ${api}. No more tokens are issued for it.`,
    ),
    api_secret_removed: notice(
      (service) => `API secret revoked on ${service}`,
      (api) =>
        `The people who run this service have revoked a secret of your API ${api}: anything that still uses it is refused.`,
    ),
    api_secret_replaced: notice(
      (service) => `New secret for an API on ${service}`,
      (api) =>
        `The people who run this service have created a new secret for your API ${api}. Ask them for it if you have not received it.`,
    ),
    secret_removed: notice(
      (service) => `Application secret revoked on ${service}`,
      (application) =>
        `The people who run this service have revoked a secret of your application ${application}: anything that still uses it is refused.`,
    ),
    secret_replaced: notice(
      (service) => `New secret for an application on ${service}`,
      (application) =>
        `The people who run this service have created a new secret for your application ${application}. Ask them for it if you have not received it.`,
    ),
  },

  dev: {
    title: 'Emails kept here',
    lead: 'No email server is configured: the latest hundred emails stay in this process until it stops. This page does not exist in production.',
    empty: 'No emails yet. Create an account or ask for a new password, and the email will appear here.',
    back: 'All emails',
    to: 'To',
    from: 'From',
    at: 'Date',
    asHtml: 'View the formatted version',
    links: 'Links in this email',
  },
};
