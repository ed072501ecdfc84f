// English: account pages.
import type { account as reference } from '../fr/account.ts';
import { credentials } from './credentials.ts';
import { security } from './security.ts';

export const account: typeof reference = {
  credentials,
  security,

  navigation: {
    title: 'Your account',
    overview: 'Overview',
    profile: 'Profile',
    email: 'Email address',
    security: 'Sign-in and security',
    sessions: 'Sessions',
    applications: 'Connected applications',
    activity: 'Activity',
    data: 'Your data',
  },

  overview: {
    welcome: (service) => `Your account is ready. Welcome to ${service}.`,
    greeting: (name) => `Hello ${name}`,
    purpose: (service) =>
      `Use this account to sign in to any application that offers sign-in with ${service}. Each one asks you first and receives only what you allow.`,
    memberSince: 'Account created',
    language: { auto: 'Language: same as your browser', en: 'Language: English', fr: 'Language: French' },
    editProfile: 'Edit profile',
    changeWhat: {
      email: 'your email address',
      security: 'your ways to sign in',
      sessions: 'your sessions',
    },
    applications: 'Your applications',
    noApplication: 'No application has access. Applications that you allow will appear here.',
    allApplications: (count) => (count === 1 ? 'See what it receives' : 'See what they receive'),
    allApplicationsAnd: (more) => `See what these and ${more} more receive`,
    lastUsed: 'Used',
    neverUsed: 'Never used',
    title: 'To do',
    nothing: 'Nothing to do.',
    apiSecretEnds: (api) => `The last secret of the API ${api} expires on`,
    secretEnds: (application) => `The last secret of ${application} expires on`,
    newSecret: 'Create a secret',
    unverified: 'Your email address is not verified. Verify it so that you can recover your account.',
    changing: (email) => `Confirm your new address ${email}: open the email we sent there.`,
    confirmChange: 'Enter the code',
    offered: (owner, application) => `${owner} is offering you the application ${application}.`,
    offeredApi: (owner, api) => `${owner} is offering you the API ${api}.`,
    seeOffer: 'See the offer',
    security: 'Security',
    noPassword: 'None',
    strongSignIn: 'Passkey or authenticator app',
    factors: { passkey: 'Passkey', totp: 'Authenticator app' },
    choose: 'Choose',
    onlyHere: 'This browser only',
    alsoIn: (others) =>
      others === 1 ? 'This browser and another:' : `This browser and ${others} others. Most recently:`,
    see: 'View',
    add: 'Add',
  },

  profile: {
    title: 'Your profile',
    lead: 'The applications that you allow can see this information.',
    phone: 'Phone',
    phoneHint: 'Enter it as you usually do, such as 06 12 34 56 78, or with the country code.',
    phoneInvalid:
      'This is not a valid phone number. Add the country code, such as +33 6 12 34 56 78, or leave the field empty.',
    language: 'Language',
    languageAuto: 'Same as your browser',
    save: 'Save',
    saved: 'Your profile has been saved.',
    changePicture: 'Change picture',
  },

  picture: {
    title: 'Your picture',
    file: 'New picture',
    fileHint:
      'JPEG, PNG or WebP, up to 2 MB. We crop it to a 256-pixel square and remove its metadata, such as location and date.',
    upload: 'Use this picture',
    remove: 'Remove picture',
    missing: 'Choose a picture.',
    unreadable: 'We cannot read this file. Choose a JPEG, PNG or WebP picture.',
    changed: 'Your picture has been updated.',
    removed: 'Your picture has been removed. Your initials are shown instead.',
  },

  sessions: {
    title: 'Your sessions',
    lead: 'The browsers where you’re signed in. If you do not recognize one, end its session and change your password.',
    device: (browser, system) => `${browser} on ${system}`,
    unknownDevice: 'Unknown device',
    current: 'this browser',
    noAddress: 'IP address erased',
    active: 'Active',
    activeNow: 'Active now',
    signedIn: 'identity confirmed',
    end: 'End session',
    endWhich: (device, lastSeen) => `${device} (last activity: ${lastSeen})`,
    endOthers: 'End all other sessions',
    onlyThis: 'You’re not signed in anywhere else.',
    ended: 'The session has ended.',
    othersEnded: 'All other sessions have ended.',
  },

  applications: {
    lead: 'Each has access only to what you allowed. You can revoke it at any time, with immediate effect.',
    none: 'None yet. Applications that you allow will appear here, with what they received and when.',
    api: 'API',
    sensitive: 'sensitive',
    nothingLeft: 'Nothing: everything you allowed has been deleted.',
    agents: 'Agents',
    agentsText: 'Agents are not registered here. Only their URL is verified; they choose their own name.',
    selfRegistered: 'self-registered',
    scopes: {
      openid: 'identifier',
      profile: 'name and picture',
      email: 'email address',
      phone: 'phone number',
    },
    allowedOn: 'Allowed on',
    lastUsed: 'used',
    neverUsed: 'never used',
    open: 'Open',
    received: 'Received:',
    nothingReceived: 'Nothing received yet.',
    on: 'on',
    from: 'from',
    to: 'to',
    fields: {
      sub: 'identifier',
      auth_time: 'sign-in time',
      name: 'name',
      avatar: 'picture',
      picture: 'picture',
      updated_at: 'profile change date',
      email: 'email address',
      preferred_username: 'username (the email address)',
      email_verified: 'address verification',
      phone: 'phone',
      phone_number: 'phone',
    },
    withdraw: 'Revoke',
    withdrawFrom: (application) => `access for ${application}`,
    withdrawn: 'Access revoked. The application can no longer read your information.',
    former: (count) =>
      count === 1 ? 'One application no longer has access' : `${count} applications no longer have access`,
  },

  activity: {
    title: 'What happened in your account',
    notYou: 'If you do not recognize something,',
    signOutElsewhere: 'end your other sessions',
    and: 'and',
    checkSignIn: 'check how you sign in',
    secure: 'Secure your account',
    attempts: (times) => `${times} times`,
    byAdministrator: 'your administrator',
    byOther: 'another account',
    other: 'Other event',
    none: 'Nothing yet.',
    noneOlder: 'Nothing older.',
    latest: 'Back to latest',
    older: 'Older',
    kept: (days) => (days === 1 ? 'This list goes back one day.' : `This list goes back ${days} days.`),
  },

  data: {
    tooMany: 'Too many downloads in the last hour. Wait a while, then try again.',
    exportTitle: 'Download',
    exportText:
      'A JSON file with your profile and picture, your sessions, the applications you allowed and what they received, the applications you registered, and your account’s activity log. It does not contain your password or any secret.',
    export: 'Download my data',
    deleteTitle: 'Delete your account',
    deleteText:
      'This is immediate and permanent. The next page lists what will be deleted and asks you to confirm.',
    delete: 'Delete my account',
  },

  deletion: {
    title: 'Delete your account?',
    apis: 'your APIs (no more tokens will be issued for them):',
    goes: 'The following will be deleted immediately and permanently:',
    profile: 'your profile and picture',
    sessions: 'your sessions, on all your devices',
    consents: (count) =>
      count === 0
        ? 'the access you gave to applications (none at the moment)'
        : count === 1
          ? 'the access you gave to one application'
          : `the access you gave to ${count} applications`,
    own: 'the applications you registered:',
    ownUsers: (count) =>
      count === 0 ? 'nobody uses it' : count === 1 ? 'one person uses it' : `${count} people use it`,
    ownText:
      'Nobody will be able to sign in to them anymore. You can transfer these applications to another account first.',
    stays: (days) =>
      `Applications keep what they have already received: ask them to erase it. The security log keeps a record of this deletion for ${days} days.`,
    typeEmail: 'Enter your email address to confirm',
    typeEmailHint: (email) => `Your address is ${email}.`,
    emailDiffers: 'This is not the email address of this account.',
    lastAdmin: 'You’re the only administrator of this service. Make someone else an administrator first.',
    confirm: 'Permanently delete my account',
    cancel: 'Keep my account',
    done: 'Your account has been deleted. Goodbye, and thank you.',
  },
};
