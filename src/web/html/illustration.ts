// Door illustration beside narrow pages. styles/illustration.css opens and closes the door.
import { html } from './html.ts';

const doorLeaf = html`<path d="M110 60h130v444H110z"/>
<path class="illustration-panels" d="M148 386h72v96h-72zM148 262h72v104h-72zM220 148v94h-72c2-38 28-68 72-94z"/>
<path class="illustration-edge" d="M235 60h5v444h-5z"/>
<circle class="illustration-edge" cx="228" cy="376" r="4.5"/>`;

export const illustration = html`<div class="illustration" aria-hidden="true">
<svg viewBox="40 -120 400 760" preserveAspectRatio="xMidYMax meet" focusable="false">
<clipPath id="illustration-arch"><path d="M240 100C310 139 352 188 352 252v252H128V252c0-64 42-113 112-152z"/></clipPath>
<linearGradient id="illustration-fade" x1="0" y1="0" x2="0" y2="1"><stop offset="0"/><stop offset="1" stop-opacity="0"/></linearGradient>
<radialGradient id="illustration-halo"><stop offset="0"/><stop offset="1" stop-opacity="0"/></radialGradient>
<circle class="illustration-glow" cx="240" cy="330" r="310" fill="url(#illustration-halo)"/>
<path class="illustration-beam" fill="url(#illustration-fade)" d="M145 496h190l80 144H65z"/>
<path class="illustration-frame" d="M240 84C318 126 366 180 366 250v254h14v8H100v-8h14V250c0-70 48-124 126-166z"/>
<g clip-path="url(#illustration-arch)">
<path class="illustration-light" d="M128 100h224v403H128z"/>
<g class="illustration-leaf">${doorLeaf}</g>
<g transform="matrix(-1 0 0 1 480 0)"><g class="illustration-leaf">${doorLeaf}</g></g>
</g>
</svg>
</div>`;
