// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing

@testable import HeadwayServer

@Suite struct MetricsPageTests {
    @Test func `a family says what it is, and its samples follow`() {
        var text = MetricsText()
        text.family("rooms_total", .counter, "What a \\ means\nhere.")
        text.sample(7, ["name": "a \"b\"\\\n"])
        text.sample(.milliseconds(1500))
        #expect(
            text.text == """
                # HELP rooms_total What a \\\\ means\\nhere.
                # TYPE rooms_total counter
                rooms_total{name="a \\"b\\"\\\\\\n"} 7
                rooms_total 1.5

                """
        )
    }

    @Test func `a histogram's buckets hold what is below them too`() {
        var histogram = Histogram([.milliseconds(1), .milliseconds(10)])
        for milliseconds in [1, 5, 5, 100] { histogram.observe(.milliseconds(milliseconds)) }
        var text = MetricsText()
        text.histogram("wait_seconds", "Waits.", histogram)
        #expect(
            text.text == """
                # HELP wait_seconds Waits.
                # TYPE wait_seconds histogram
                wait_seconds_bucket{le="0.001"} 1
                wait_seconds_bucket{le="0.01"} 3
                wait_seconds_bucket{le="+Inf"} 4
                wait_seconds_sum 0.111
                wait_seconds_count 4

                """
        )
    }

    @Test func `all series are there from the start`() {
        let text = MetricsPage().text
        for line in [
            "headway_transfers{kind=\"download\",state=\"queued\"} 0",
            "headway_transfers_ended_total{kind=\"demo\",outcome=\"failed\"} 0",
            "headway_commands_total{op=\"sync\"} 0",
            "headway_readers_dropped_total{cause=\"silent\"} 0",
            "headway_refused_total{gate=\"host\"} 0",
            "headway_connections{kind=\"events\"} 0",
        ] {
            #expect(text.contains(line + "\n"))
        }
    }

    @Test func `a kind that nobody knows does not become a label`() {
        var metrics = Metrics()
        metrics.bytes[Metrics.Kind(TransferKind(rawValue: "teleport"))] += 3
        let page = MetricsPage(metrics: metrics)
        #expect(page.text.contains("headway_transfer_bytes_total{kind=\"other\"} 3\n"))
        #expect(!page.text.contains("teleport"))
    }

    @Test func `every command counts as what it is`() {
        let id = TransferID(milliseconds: 0, random: (1, 2))
        for action in Command.Action.allCases {
            #expect(Metrics.Operation(.steer(action, id)).rawValue == action.rawValue)
        }
        #expect(Metrics.Operation(.change(Command.Change(priority: 1), id)) == .change)
        #expect(Metrics.Operation(.sync) == .sync)
        #expect(Metrics.Operation(.pace(interval: nil)) == .pace)
    }
}
