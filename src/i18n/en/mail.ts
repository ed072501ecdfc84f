// English: emails.
import type { mail as reference } from '../fr/mail.ts';

export const mail: typeof reference = {
  greeting: (name: string) => (name === '' ? 'Hello,' : `Hello ${name},`),
  quoted: (name: string) => `“${name}”`,
  colon: ': ',
  unnamed: '(name not shown)',
  footer: (service: string, host: string) =>
    `${service}, ${host}. This email was sent automatically: replies are not read.`,
  codeText: 'Code for the page that asks for it:',

  verify_email: {
    subject: (service: string) => `Confirm your email address for ${service}`,
    text: (service: string, email: string) =>
      `Someone, probably you, is using the address ${email} for an account with ${service}. Confirm that it is yours.`,
    action: 'Confirm my address',
    closing:
      'The link and the code work for one day. If it was not you, ignore this email: without confirmation, the address stays unverified.',
  },
  change_email: {
    subject: (service: string) => `Confirm your new email address for ${service}`,
    text: (service: string, email: string) =>
      `The email address of your ${service} account is about to change to ${email}. Nothing changes until you confirm it.`,
    action: 'Confirm my new address',
    closing:
      'The link and the code work for one day. If you did not ask for this, ignore this email: nothing will change.',
  },
  reset_password: {
    subject: (service: string) => `Choose a new password for ${service}`,
    text: (service: string) =>
      `This link lets you choose a password for your ${service} account. Nothing changes until you do.`,
    action: 'Choose a new password',
    closing:
      'You can use this link once, within 30 minutes. It was requested on the sign-in page, or sent by your administrator. If you do not need it, ignore this email.',
  },
  invitation: {
    subject: (service: string) => `Your ${service} account is ready`,
    text: (service: string) =>
      `An account has been created for you on ${service}. All that is left is to choose your password.`,
    action: 'Choose my password',
    closing:
      'You can use this link once, within seven days. If you were not expecting this email, ignore it: nobody can use the account until a password is chosen.',
  },

  without_password: {
    subject: (service: string) => `Your ${service} account has no password`,
    text: (service: string) =>
      `Someone, probably you, asked to reset the password for your ${service} account. This account does not have a password: you sign in with a passkey or one of your recovery codes.`,
    action: 'Sign in with a recovery code',
    closing:
      'Once you are in, you can create a passkey or choose a password. If it was not you, ignore this email. If you have lost everything, contact your administrator.',
  },
  email_in_use: {
    subject: (service: string) => `Your email address already has an account with ${service}`,
    text: (service: string, email: string) =>
      `Someone tried to use the address ${email} for their ${service} account, but you already have an account with this address. Nothing has changed.`,
    closing:
      'If it was you, sign in with this address, or first change the address of the account that uses it. If it was not you, there is nothing to do.',
  },
  identity_sign_up: {
    subject: (service: string) => `Create your ${service} account`,
    text: (service: string, email: string) =>
      `Someone, probably you, is creating an account with ${service} using the address ${email}. Confirm that it is yours.`,
    action: 'Create my account',
    closing:
      'The link works for one hour, in the browser where the sign-up was started. If it was not you, ignore this email: no account will be created.',
  },
  identity_sign_up_taken: {
    subject: (service: string) => `You already have an account with ${service}`,
    text: (service: string, email: string) =>
      `Someone, probably you, tried to create an account with ${service} using the address ${email}, but you already have an account with this address. Nothing has changed.`,
    action: 'Sign in',
    closing:
      'If it was you, sign in as usual: you can then link the account with the other service on the “Sign-in and security” page. If it was not you, there is nothing to do.',
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
      `The page shows what comes with the ${what}. You can accept or decline the offer there. If you were not expecting this, ignore this email: the offer will expire.`,
  },
  sign_in: {
    subject: (service: string) => `Confirm your sign-in to ${service}`,
    text: (service: string) =>
      `Someone, probably you, entered the password for your ${service} account in a browser that we do not recognize. Many wrong passwords had been tried before, so we ask you to confirm.`,
    closing:
      'The code works for 30 minutes, in the browser where the password was entered. If it was not you, someone knows your password: choose a new one.',
  },
  mfa_reset_requested: {
    subject: (service: string) => `The second factor for your ${service} account is about to be reset`,
    text: 'Your administrator was asked to remove the authenticator app, the recovery codes and the trusted browsers of your account. After that, your password alone will be enough to sign in.',
    textWithPasskeys:
      'Your administrator was asked to remove the passkeys, the authenticator app, the recovery codes and the trusted browsers of your account. After that, your password alone will be enough to sign in.',
    until: 'Takes effect:',
    action: 'Stop the reset',
    closing:
      'If you asked for this, sign in with your password after that time. If you did not, stop the reset. You do not need to sign in to stop it.',
  },

  activity_reported: {
    subject: (service: string) => `Your ${service} account has been secured`,
    text: 'You reported that someone else was using your account. All sessions have ended, application access is revoked and the old password no longer works.',
    taken:
      'Another account now uses your previous address, so we could not restore it. Your account is suspended until your administrator has checked it.',
    removed: 'What has been removed',
    review: 'To review',
    account: 'Your account',
    action: 'Choose a new password',
    closing: 'The link lets you choose a new password and get back into your account.',
    reviewText:
      'The items to review were changed or deleted after the reported session started. We did not restore them.',
  },

  at: 'When:',
  address: 'From the IP address:',
  browser: 'With:',
  notMe: 'This was not me',
  notMeClosing:
    'If it was you, there is nothing to do. If not, open this link within seven days. A page shows what will be stopped and asks you to confirm.',
  about: 'Concerns:',
  decided: 'This was done by your administrator.',
  announcementClosing: 'If you did not expect this, or have a question, contact your administrator.',
  notices: {
    new_sign_in: (service) => `New sign-in to your ${service} account`,
    password_changed: (service) => `The password for your ${service} account has changed`,
    password_reset: (service) => `The password for your ${service} account was reset`,
    password_removed: (service) => `Your ${service} account no longer has a password`,
    password_added: (service) => `Your ${service} account now has a password`,
    email_change_requested: (service) => `Email address change requested for your ${service} account`,
    email_changed: (service) => `The email address for your ${service} account has changed`,
    email_changed_by_admin: (service) =>
      `An administrator changed the email address for your ${service} account`,
    secret_created: (service) => `New secret for an application on ${service}`,
    secret_ended: (service) => `Application secret revoked on ${service}`,
    application_deleted: (service) => `One of your applications was deleted from ${service}`,
    application_transfer_offered: (service) =>
      `One of your applications has been offered to another account on ${service}`,
    application_transferred: (service) => `One of your applications has a new owner on ${service}`,
    application_changed: (service) => `Application settings changed on ${service}`,
    application_received: (service) => `An application now belongs to your ${service} account`,
    api_secret_created: (service) => `New secret for an API on ${service}`,
    api_secret_ended: (service) => `API secret revoked on ${service}`,
    api_changed: (service) => `API settings changed on ${service}`,
    api_keys_changed: (service) => `API public keys changed on ${service}`,
    api_transfer_offered: (service) => `One of your APIs has been offered to another account on ${service}`,
    api_transferred: (service) => `One of your APIs has a new owner on ${service}`,
    api_received: (service) => `An API now belongs to your ${service} account`,
    api_deleted: (service) => `One of your APIs was deleted from ${service}`,
    api_access_cut: (service) => `Access to one of your APIs was blocked on ${service}`,
    agent_access_given: (service) => `An agent has access to your ${service} account`,
    sensitive_access_given: (service) =>
      `An application was given sensitive access through your ${service} account`,
    service_access_granted: (service) => `Access granted to one of your APIs on ${service}`,
    api_access_restored: (service) => `An application may access one of your APIs again on ${service}`,
    sessions_ended: (service) => `Sessions in your ${service} account were ended`,
    app_added: (service) => `Authenticator app added to your ${service} account`,
    app_removed: (service) => `Authenticator app removed from your ${service} account`,
    recovery_codes_made: (service) => `New recovery codes for your ${service} account`,
    mfa_reset: (service) => `The second factor for your ${service} account was reset`,
    passkey_added: (service) => `A passkey was added to your ${service} account`,
    passkey_renamed: (service) => `A passkey for your ${service} account was renamed`,
    passkey_removed: (service) => `A passkey was removed from your ${service} account`,
    identity_linked: (service) => `An external account was linked to your ${service} account`,
    identity_unlinked: (service) => `An external account was unlinked from your ${service} account`,
    data_exported: (service) => `The data in your ${service} account was downloaded`,
  },
  announcements: {
    password_guessed: (service) => `Someone is trying to guess the password for your ${service} account`,
    account_deleted: (service) => `Your ${service} account was deleted`,
    account_removed: (service) => `Your ${service} account was deleted`,
    account_suspended: (service) => `Your ${service} account is suspended`,
    account_unsuspended: (service) => `Your ${service} account is no longer suspended`,
    account_updated: (service) => `Your ${service} account was updated`,
    access_ended: (service) => `All sessions in your ${service} account were ended`,
    session_ended_by_admin: (service) => `A session in your ${service} account was ended`,
    consent_revoked_by_admin: (service) => `An application lost access to your ${service} account`,
    password_set: (service) => `The password for your ${service} account was replaced`,
    mfa_reset_canceled: (service) => `The second factor for your ${service} account will not be reset`,
    passkey_clone_suspected: (service) => `A passkey for your ${service} account was refused`,
    codes_tried: (service) => `Someone knows the password for your ${service} account`,
    codes_used_up: (service) => `Many wrong codes for your ${service} account`,
    admin_granted: (service) => `You’re now an administrator of ${service}`,
    admin_revoked: (service) => `You’re no longer an administrator of ${service}`,
    api_suspended: (service) => `One of your APIs is suspended on ${service}`,
    api_unsuspended: (service) => `One of your APIs is no longer suspended on ${service}`,
    api_access_requested: (service) =>
      `An application has requested access to one of your APIs on ${service}`,
    api_access_granted: (service) => `Access to an API granted on ${service}`,
    api_access_refused: (service) => `Access to an API denied on ${service}`,
    api_access_ended: (service) => `Access to an API has ended on ${service}`,
    application_suspended: (service) => `One of your applications is suspended on ${service}`,
    application_unsuspended: (service) => `One of your applications is no longer suspended on ${service}`,
    application_removed: (service) => `One of your applications was deleted from ${service}`,
    application_updated: (service) => `One of your applications was changed on ${service}`,
    api_removed: (service) => `One of your APIs was deleted from ${service}`,
    api_secret_removed: (service) => `API secret revoked on ${service}`,
    api_secret_replaced: (service) => `New secret for an API on ${service}`,
    secret_removed: (service) => `Application secret revoked on ${service}`,
    secret_replaced: (service) => `New secret for an application on ${service}`,
  },
  details: {
    email_change_requested: 'Nothing changes until the new address has been confirmed.',
    email_changed: 'This is the last email we send to the old address. The link below restores it.',
    email_changed_by_admin: 'This is the last email we send to the old address. The link below restores it.',
    account_updated: 'The name, phone number or email address was changed.',
    new_sign_in: 'The sign-in came from a browser that we did not recognize.',
    password_changed:
      'All other sessions have ended, and applications have lost access to your account: sign in again where you need to.',
    password_reset:
      'All other sessions have ended, and applications have lost access to your account: sign in again where you need to.',
    password_set:
      'All sessions have ended, and applications have lost access to your account. Sign in again with the new password.',
    access_ended:
      'Applications have lost access to your account, too. Your password stays the same: sign in again.',
    session_ended_by_admin: 'The browser was signed out. Your password stays the same: sign in again.',
    consent_revoked_by_admin:
      'Its tokens no longer work. If you use it again, it will ask you for permission.',
    passkey_added: 'You can use the passkey to sign in without your password.',
    identity_linked: 'Anyone who can sign in to that external account can now sign in to your account.',
    app_removed: 'You no longer need a code from the authenticator app to sign in.',
    account_deleted:
      'The deletion was requested from one of the account’s sessions. The account’s data and applications were deleted with it.',
    account_suspended:
      'Until the suspension is lifted, nobody can sign in to this account, and applications have no access to it. Nothing has been erased.',
    application_suspended:
      'Until the suspension is lifted, nobody can sign in to this application, and its tokens are revoked. Nothing has been erased.',
    api_suspended:
      'Until the suspension is lifted, no tokens are issued for this API. Nothing has been erased.',
    secret_replaced: 'If you have not received the new secret, ask your administrator for it.',
    api_secret_replaced: 'If you have not received the new secret, ask your administrator for it.',
    mfa_reset:
      'Your account is now protected only by a password: set up a second factor again as soon as you can.',
    password_guessed:
      'A hundred wrong passwords have been tried since the last correct one. Until you sign in again, signing in from an unknown browser also requires a code sent by email. If you use this password anywhere else, choose a new one.',
    passkey_clone_suspected:
      'Its signature counter was lower than expected, so there may be a copy of the passkey. Remove this passkey from your account, then create another one.',
    codes_tried:
      'The correct password has just been entered, followed by several wrong codes. Nobody was signed in. If it was not you, choose a new password now.',
    codes_used_up:
      'Someone keeps entering the correct password, followed by wrong codes. For now, we refuse most codes from an authenticator app in browsers where you have not signed in before. Your recovery codes work everywhere. Choose a new password to stop the attempts.',
    api_access_requested: 'It has no access until you grant it on your API’s “Requests” page.',
  },

  dev: {
    title: 'Development emails',
    lead: 'No email server is configured: this process keeps the latest hundred emails until it stops. This page does not exist in production.',
    empty: 'No emails yet. Create an account or reset a password to see one here.',
    back: 'All emails',
    asHtml: 'View the formatted version',
  },
};
