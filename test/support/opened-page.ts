// A page that a test opened, as every-page.ts and the files of each area collect them.
import type { Visit } from './browser-session.ts';

export interface OpenedPage {
  name: string;
  status: number;
  visit: Visit;
  /** Whether the page belongs to an authorization request, so that its form leads to an application in the end. */
  pending: boolean;
}

/** A list of pages, and what adds one to it and gives it back. */
export function pageList(area?: string) {
  const pages: OpenedPage[] = [];
  const add = (name: string, status: number, visit: Visit, pending = false): Visit => {
    pages.push({ name: area === undefined ? name : `${area}: ${name}`, status, visit, pending });
    return visit;
  };
  return { pages, add };
}
