// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing

@Suite struct TimestampTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_709_164_800_000, "2024-02-29T00:00:00.000Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (4_107_456_000_000, "2100-02-28T00:00:00.000Z"), (1_780_280_091_123, "2026-06-01T02:14:51.123Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"), (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
            (1_735_689_599_999, "2024-12-31T23:59:59.999Z"),
        ] as [(Int64, String)]
    )
    func `a point of time is written and read`(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).description == text)
        #expect(Timestamp(text)?.milliseconds == milliseconds)
    }

    @Test func `years that four digits can't hold are written as the nearest`() {
        #expect(Timestamp(milliseconds: .max).description == "9999-12-31T23:59:59.999Z")
        #expect(Timestamp(milliseconds: .min).description == "0000-01-01T00:00:00.000Z")
    }

    @Test(
        arguments: [
            ("2026-11-30T02:14:51Z", 0), ("2026-11-30T02:14:51.1Z", 100), ("2026-11-30T02:14:51.12Z", 120),
            ("2026-11-30T02:14:51.123456789Z", 123), ("2026-11-30T02:14:51.999999Z", 999),
        ] as [(String, Int64)]
    )
    func `decimals are cut to milliseconds`(text: String, milliseconds: Int64) {
        #expect(Timestamp(text).map { $0.milliseconds % 1000 } == milliseconds)
    }

    @Test(arguments: [
        "", "2026-11-30", "2026-11-30T02:14:51", "2026-11-30T02:14:51+00:00", "2026-11-30 02:14:51Z",
        "2026-13-30T02:14:51Z",
        "2026-00-30T02:14:51Z", "2026-11-32T02:14:51Z", "2026-11-00T02:14:51Z", "2026-11-30T24:14:51Z",
        "2026-11-30T02:60:51Z",
        "2026-11-30T02:14:61Z", "2026-11-30T02:14:51.1x3Z", "x026-11-30T02:14:51Z",
        "2026-11-30T02:14:51.00000000000000000000000000000Z", "-026-11-30T02:14:51Z", "２026-11-30T02:14:51Z",
    ])
    func `what is no time in UTC is none`(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test func `every day of four centuries comes back`() {
        for day in Int64(-30_000)...120_000 {
            let time = Timestamp(milliseconds: day * 86_400_000 + 86_399_999)
            #expect(Timestamp(time.description) == time)
        }
    }
}
