// SPDX-License-Identifier: Apache-2.0

import WebServer

/// Where a request leads, by its path and method; nothing is done before it is followed.
enum Route {
    /// To what it is for.
    case leads(() -> RequestDecision)
    /// The same, with a JSON document for a body.
    case reads(() -> RequestDecision)
    /// Nowhere: nothing is there, or not for that method.
    case ends(HTTPResponse)

    /// To an answer that is known.
    init(_ response: HTTPResponse) {
        let isMiss = response.status == 404 || response.status == 405
        self = isMiss ? .ends(response) : .leads { .respond(response) }
    }
}
