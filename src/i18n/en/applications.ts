// Owns the English texts of: applications.
import type { Messages } from '../fr.ts';

const several = (count: number, one: string, many: string): string => (count === 1 ? one : many);

export const applications: Messages['applications'] = {
  way: 'Path',
  list: {
    title: 'Your applications',
    lead: (service) =>
      `An application registered here can offer “Se connecter avec ${service}” (sign in with ${service}) to its visitors.`,
    register: 'Register an application',
    empty: 'You have no application yet.',
    emptyAdvice:
      'All it takes is a name and the address your visitors return to after signing in. Nearly everything can be changed later.',
    full: (limit) =>
      `You have reached the limit of ${limit} applications per account. To register another one, delete one or ask the people who run this service.`,
    offers: 'Offered by other people',
    offeredBy: 'Offered by',
    offerEnds: 'Until',
    see: 'See the offer',
    seeOf: (name) => `of the application ${name}`,
    decline: 'Decline',
    declineOf: (name) => `the application ${name}`,
    identifier: 'Client ID',
    created: 'Registered on',
  },
  type: 'Type',
  types: {
    confidential: 'Web application with a server',
    public: 'Application in the browser or on a phone',
  },
  typeTags: { confidential: 'confidential', public: 'public' },
  states: {
    suspended: 'suspended',
    verified: 'verified',
    unverified: 'not verified',
  },
  suspended:
    'This application was suspended by the people who run this service: nobody can sign in to it. You can still change it; to have the suspension lifted, ask them.',
  held: {
    own: 'This application is suspended since you said of a change « this was not me »: it was registered, received or released by whoever it was. Nobody can sign in to it. Look at its settings, callback URLs and secrets, then delete it or lift the suspension.',
    former:
      'This application is suspended since the account that it came from says that it was not them who handed it over. Nobody can sign in to it. The people who run this service decide whose it is: ask them.',
  },

  form: {
    name: 'Name of the application',
    nameHint: 'Your visitors read it when the application asks for their agreement.',
    redirectUris: 'Callback URLs',
    redirectUrisHint:
      'The address your visitors return to with a code, one per line (20 at most). It is compared character by character: the slash at the end and the port count.',
    redirectUrisTls: 'It begins with https://.',
    redirectUrisHere:
      'This is a development service, so http:// is allowed: http://localhost:3000/callback, for example.',
    redirectUrisNativeHere:
      'A public application may also use a scheme such as com.example.app:/callback; on http://127.0.0.1 its port does not count.',
    redirectUrisNative:
      'A public application may also use http://127.0.0.1 (any port), http://localhost or a scheme such as com.example.app:/callback.',
    scopes: 'What the application may ask for (scopes)',
    scopesHint: 'Everybody sees this list and agrees or refuses. Ask for as little as possible.',
    scopeHints: {
      openid: 'Recognise the person: a stable identifier (sub). Nearly always needed.',
      profile:
        'Their name, their picture and the date their profile last changed. Without it the profile cannot be read.',
      email: 'Their email address, and whether it is verified.',
      phone: 'Their phone number, if they have given one.',
    },
    typeLegend: 'What type of application?',
    typeHint: 'This choice is final: it decides whether the application gets a secret.',
    typeHints: {
      confidential: 'A server keeps the Client Secret, out of reach of your visitors.',
      public:
        'Web page without a server, mobile or desktop application: nothing stays secret there. No Client Secret; PKCE is mandatory.',
    },
    logoutAddressesHint:
      'Only if your application also signs people out of here. One a line, compared character by character (post_logout_redirect_uri).',
    standardLegend: 'Which code will you use?',
    standardHint: 'This decides the names and types of the profile, and can be changed at any time.',
    standardChoices: {
      on: {
        label: 'Any OpenID Connect library',
        hint: 'Standard mode: picture, phone_number, updated_at in seconds, and the profile in the id_token, too. Some libraries need it, such as those for Rust and Django.',
      },
      off: {
        label: 'Code written for this service',
        hint: 'The names of this service: avatar, phone, updated_at as ISO 8601 text. Reading the profile takes the scope profile.',
      },
    },
    refreshGrace: 'Grace at renewal, in seconds',
    refreshGraceHint:
      'From 0 to 60. Within this time a refresh token that was just replaced still gives the same successor: useful when answers get lost or two processes renew at once. After it, using one again ends the access.',
    presentation: 'Links shown when agreement is asked',
    homePage: 'Home page',
    privacyPolicy: 'Privacy policy',
    termsOfService: 'Terms of service',
    linkHint: 'Optional. A complete address.',
    confirmCallbacksHint:
      'You signed in more than 15 minutes ago. It is needed only if you change the callback URLs.',
  },

  create: {
    title: 'Register an application',
    action: 'Register the application',
    verifyEmail: 'Verify your email address first',
    verifyEmailText: (email) =>
      `Before you register an application or take one over, confirm that the address ${email} is yours. It lets us warn you if something happens to the application.`,
    verifyEmailAction: 'Verify my address',
  },

  created: {
    title: (name) => `${name} is registered`,
    rotatedTitle: (name) => `New secret of ${name}`,
    once: 'Copy the Client Secret now. It is only shown when it is created.',
    keep: 'Keep the secret on your server, in an environment variable. Put it neither in code, nor in a page, nor in a repository.',
    noSecret: 'A public application has no secret: its Client ID and PKCE identify it.',
    identifier: 'Client ID',
    secret: 'Client Secret',
    copyHint: 'A click on a value selects all of it.',
    shownUntil: 'You can reload this page or come back to it, in this browser, until',
    cost: 'After that, nothing shows this secret again. If you lose it, you will have to create another one and deploy that instead.',
    copiedAction: 'I have copied the secret',
    recognised: 'Later, you can recognise it by its last four characters:',
    otherUntil: 'keeps working until',
    otherStays: 'keeps working, with no end date.',
    gone: 'This secret can no longer be shown.',
    lost: 'Didn’t copy it? Create another one: this one keeps working for as long as you choose.',
    integrate: 'Integrate the button and the code',
    secrets: 'See the secrets',
  },

  detail: {
    settings: 'Settings',
    none: 'none',
    seconds: (count) => several(count, `${count} second`, `${count} seconds`),
    people: 'People signed in',
    mode: 'Mode',
    modes: { on: 'standard OpenID Connect', off: 'this service’s contract' },
    unverifiedHint:
      'Your visitors are told so when agreement is asked. The people who run this service can verify an application.',
    state: 'State',
    edit: 'Edit',
    logo: 'Logo',
    changeLogo: 'Change the logo',
    integrate: 'Integrate',
    integrateHint: 'The button, and code for your library that is ready to copy.',
    diagnostics: 'Diagnostics',
    diagnosticsHint: 'Refused requests and why, and what remains to be set up.',
    secrets: 'Secrets',
    secretsHint: 'Replace the Client Secret without an interruption, or end it.',
    tools: 'Put into service',
    further: 'Hand over or delete',
    transfer: 'Hand over to another account',
    delete: 'Delete the application',
    offered: (email) => `Offered to ${email}; nothing changes until that person accepts.`,
    done: {
      changed: 'The changes are saved and count from now on.',
      logo: 'The logo is saved.',
      'logo-removed': 'The logo is removed.',
      offered:
        'The offer is saved. If an account uses this address, it sees the offer among its applications.',
      released: 'The suspension is lifted: people can sign in to it again.',
      'offer-cancelled': 'The offer is withdrawn.',
      accepted:
        'This application is yours now. Create a secret of your own, and register your keys and addresses.',
    },
  },

  edit: {
    title: (name) => `Edit ${name}`,
    action: 'Save',
    fixed: 'The type does not change after registration.',
    verified:
      'This application is verified. With another name, logo or callback URL it has to be verified anew.',
    lastWins: 'Changes count at once. If this page is open elsewhere too, what is saved last stays.',
    added: 'The refused address was added as the last line. Check it before you save.',
  },

  secrets: {
    title: (name) => `Secrets of ${name}`,
    lead: 'A secret is only shown when it is created. We keep a fingerprint and its last four characters, so that you can tell which one is deployed where.',
    notCopied: 'not copied yet',
    show: 'Show the secret',
    live: 'Secrets in force',
    none: 'No secret is in force: the application cannot obtain tokens any more. Create a new secret below.',
    number: (number) => `Secret no. ${number}`,
    created: 'Created on',
    ends: 'Ends on',
    noEnd: 'no end date',
    until: 'until',
    endsWith: 'Ends in',
    nowInForce: 'Secrets now in force:',
    willRemain: 'Still in force afterwards:',
    endsToo:
      'After that the application will have no secret, and nobody will be able to sign in to it. Create another one before then.',
    endsAtOnce: 'So as soon as you create the new one, this one ends:',
    used: 'Last used',
    never: 'never',
    end: 'End it',
    endOf: (number) => `secret no. ${number}`,
    rotate: 'Create a new secret',
    rotateHint:
      'Install the new one on your servers while the one before it still works. Two secrets at most are in force at a time: any other ends at once.',
    overlap: 'The latest secret goes on working for',
    overlaps: {
      '0': 'not at all',
      '3600': 'one hour',
      '86400': 'one day',
      '259200': 'three days',
      '604800': 'seven days',
    },
    rotateAction: 'Create the secret',
    done: {
      ended: 'This secret has ended. It is refused from now on.',
      copied: 'The new secret is in force. Nothing shows it any more.',
    },
    endTitle: (number) => `End secret no. ${number}?`,
    endText:
      'Every request that uses it will be refused at once. People stay signed in, provided that the application has another secret.',
    endLast:
      'It is the only secret in force. Without it the application can neither sign anybody in nor renew any access, until you create another one. If you only want to replace it, create the new one first.',
    endAction: 'End this secret',
    keep: 'Keep it',
    back: 'Change nothing',
  },

  logo: {
    title: (name) => `Logo of ${name}`,
    lead: 'Your visitors see it when agreement is asked, in a square of 256 pixels.',
    file: 'File',
    fileHint: 'PNG, JPEG or WebP, at most 2 MB. The picture is cut to a square around its centre.',
    action: 'Save the logo',
    remove: 'Remove the logo',
    current: 'Present logo',
  },

  release: {
    title: (name) => `Lift the suspension of ${name}?`,
    text: 'People can sign in to it again at once, with the settings, callback URLs and secrets that it has now. What it held before stays ended.',
    action: 'Lift the suspension',
  },

  remove: {
    title: (name) => `Delete ${name}?`,
    people: (count) =>
      count === 0
        ? 'Nobody is signed in through this application.'
        : several(
            count,
            'One person is signed in through this application.',
            `${count} people are signed in through this application.`,
          ),
    text: 'All its accesses, codes and tokens end at once, and its Client ID will never be used again. This cannot be undone.',
    name: 'Name of the application',
    nameHint: (name) => `To confirm, copy: ${name}`,
    action: 'Delete for good',
    cancel: 'Keep it',
    done: 'The application is deleted. Nobody can sign in to it any more.',
  },

  transfer: {
    title: (name) => `Hand over ${name}`,
    lead: 'The application goes to another account of this service, with the agreements of its visitors. Your keys, your sign-out addresses and, when the other person decides, your secrets end. Nothing changes until the other person has accepted, from their list of applications.',
    email: 'Email address of the other account',
    emailHint: 'We do not say whether an account uses this address. The offer stands for seven days.',
    own: 'This is your own address.',
    action: 'Offer the application',
    pending: 'Present offer',
    pendingTo: 'Offered to',
    pendingUntil: 'Until',
    replace: 'Offering it to somebody else replaces this offer.',
    cancel: 'Withdraw the offer',
    acceptTitle: (name) => `Receive ${name}?`,
    acceptText:
      'You become responsible for it, and the person who offers it loses access to it. This is all that comes with it.',
    from: 'Offered by',
    ends: 'What ends as soon as you accept',
    keys: 'Public keys',
    backchannel: 'Address told of sign-outs',
    postLogout: 'Return addresses after sign-out',
    stays: 'What comes with it',
    secrets: 'Secrets, which the former owner knows',
    created: 'created on',
    until: 'good until',
    scopes: 'Scopes',
    resources: 'APIs that it obtains tokens for',
    serviceScopes: 'Scopes asked for on its own account',
    serviceTokens: 'Tokens obtained on its own account',
    tokens: (number) => (number === 0 ? 'none' : `${number} still valid`),
    none: 'none',
    noScope: 'none',
    noSecret: 'none',
    callbacks: 'Callback URLs to keep',
    callbacksHint: 'Visitors arrive there with the code that signs them in. Untick those that are not yours.',
    overlap: 'The former owner’s secrets go on working for',
    overlapHint:
      'Until then they can act as the application. If the secrets end at once, so does every token it was given: visitors sign in again, and you create a new secret.',
    publicEnds: 'Every token the application was given ends as soon as you accept: visitors sign in again.',
    changed: 'The application has changed since this page was shown. Check again what comes with it.',
    accept: 'Accept the application',
    later: 'Decide later',
    declined: 'You have declined this application. Its owner keeps it.',
    gone: 'This offer no longer stands.',
  },

  faults: {
    nameMissing: 'Give the application a name.',
    nameTooLong: 'Choose a name of at most 100 characters.',
    callbackMissing: 'Enter at least one callback URL.',
    tooManyCallbacks: 'At most 20 callback URLs can be registered.',
    uriTooLong: 'it is longer than 2,000 characters.',
    uriCharacters: 'it contains white space, control or non-ASCII characters.',
    uriWildcard: 'it contains a backslash or a wildcard.',
    uriFragment: 'it contains a fragment (#).',
    uriNotAbsolute: 'it is not an absolute URL, such as https://example.com/callback.',
    uriUserInfo: 'it contains a user name or a password.',
    uriOwnParameter: 'it already contains code, state, iss or error, which the answer adds itself.',
    uriNotHttps: 'it must begin with https://',
    uriScheme:
      'it must begin with https://, http:// on the loopback address, or a scheme with a dot such as com.example.app:/',
    scopesMissing: 'Choose at least one scope.',
    scopeUnknown: 'One of the scopes chosen does not exist.',
    graceOutOfRange: 'Enter a whole number from 0 to 60.',
    linkInvalid: 'Enter a complete address that begins with https://',
  },
  faultsInDevelopment: {
    uriNotAbsolute: 'it is not an absolute URL, such as http://localhost:3000/callback.',
    uriNotHttps: 'it must begin with https:// or, as this is a development service, http://',
    uriScheme:
      'it must begin with https://, with http:// (allowed on this development service), or with a scheme that has a dot, such as com.example.app:/',
    linkInvalid: 'Enter a complete address that begins with https:// or http://',
  },
  line: (number, fault) => `Line ${number}: ${fault}`,
  problems: {
    typeMissing: 'Choose the type of the application.',
    fileMissing: 'Choose a file.',
    fileUnreadable: 'We could not read this picture. Choose a PNG, JPEG or WebP file without animation.',
    nameDiffers: 'This is not the name of the application.',
    emailInvalid: 'Enter a complete email address.',
    overlapInvalid: 'Choose one of the durations offered.',
  },
};
