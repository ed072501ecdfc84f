// What every page has at hand, bound once to what the process is made of: how it is sent, and its forms.
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Parts } from '../http/parts.ts';
import { type FormPage, type FormWithin, formPage, formWithin } from './form-page.ts';
import { type Page, sendPage } from './page.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** Sends a page as the answer. */
    page: (page: Page) => FastifyReply;
  }
  interface FastifyInstance {
    /**
     * Registers a page with a form, GET and POST. In a member area it is the member's; elsewhere it is open to everybody,
     * and bound to the browser.
     */
    formPage: <About, Fields extends object>(declared: FormPage<About, Fields>) => void;
    /** Registers a form that stands on the page of another one, in a member area. */
    formWithin: (declared: FormWithin) => void;
  }
}

/** Gives it to all routes and areas that are registered after it. */
export function pages(app: FastifyInstance, parts: Parts): void {
  app.decorateReply('page', function (this: FastifyReply, page: Page) {
    return sendPage(this.request, this, parts, page);
  });
  app.decorate('formPage', function (this: FastifyInstance, declared: FormPage<unknown, object>) {
    formPage(this, parts, declared);
  });
  app.decorate('formWithin', function (this: FastifyInstance, declared: FormWithin) {
    formWithin(this, parts, declared);
  });
}
