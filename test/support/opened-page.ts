// A page that a test opened, as every-page.ts and the files of each area collect them.
import type { Visit } from './browser-session.ts';

export interface OpenedPage {
  name: string;
  status: number;
  visit: Visit;
  /** Whether the page belongs to an authorization request, so that its form leads to an application in the end. */
  pending: boolean;
}
