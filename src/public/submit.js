// Sends the page's form as soon as it is there, so that nobody has to press its button.
document.querySelector('form[data-submit]')?.submit();
