// SPDX-License-Identifier: Apache-2.0

/** Sends the body of a request, and says how much of it the browser has handed to the network: `fetch` can't tell.
 * @param {URL} url @param {Record<string, string>} headers @param {Blob} body @param {(bytes: number) => void} handed
 * @returns {Promise<Response>} */
export function patch(url, headers, body, handed) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const broken = () => reject(new TypeError("The connection broke"));
    request.open("PATCH", url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => handed(loaded);
    request.onload = () => {
      const { status, responseText } = request;
      const given = request.getAllResponseHeaders().trim().split(/\r?\n/).map((line) => line.split(/:\s*(.*)/).slice(0, 2));
      resolve(new Response([204, 205, 304].includes(status) ? null : responseText, { status, headers: /** @type {[string, string][]} */ (given) }));
    };
    request.onerror = request.onabort = request.ontimeout = broken;
    request.send(body);
  });
}
