// What an application would receive for a scope, as the pages show it that ask for consent.

import type { Scope } from '../oauth/scopes.ts';
import type { Session } from '../store/sessions.ts';
import { avatarAddress } from './html/avatar-address.ts';
import type { SharedData } from './html/shared-data.ts';

export function sharedData(scope: Scope, session: Session): SharedData {
  switch (scope) {
    case 'openid':
      return { scope, value: session.userId };
    case 'profile':
      return {
        scope,
        value: {
          name: session.name,
          avatar: avatarAddress('', session),
          updatedAt: session.profileUpdatedAt,
        },
      };
    case 'email':
      return { scope, value: { address: session.email, verified: session.emailVerified } };
    case 'phone':
      return { scope, value: session.phone ?? undefined };
  }
}
