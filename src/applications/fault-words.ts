// Owns which words are said of what is wrong with an application's settings, in the console and on the command line.
import type { Messages } from '../i18n/index.ts';
import type { DefinitionFault } from './definition.ts';

/**
 * The words for each fault. Outside of production http:// is taken, and the words say so. The rules of callback URLs hold
 * for sign-out URLs, too (D3), and so do their words where those have none of their own.
 */
export function faultWords(
  { applications, protocol }: Messages,
  production: boolean,
): (fault: DefinitionFault) => string {
  const settings = { ...applications.faults, ...(production ? undefined : applications.faultsInDevelopment) };
  const beyond = {
    ...settings,
    ...protocol.faults,
    ...(production ? undefined : protocol.faultsInDevelopment),
  };
  return (fault) => {
    switch (fault.field) {
      case 'jwks':
      case 'post_logout_redirect_uris':
      case 'backchannel_logout_uri':
        return beyond[fault.fault];
      default:
        return settings[fault.fault];
    }
  };
}
