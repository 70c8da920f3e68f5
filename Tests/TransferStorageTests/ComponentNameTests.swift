// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TransferStorage

@Suite struct ComponentNameTests {
    /// The same for the same seed (a linear congruence; its upper bits are good enough to draw letters).
    private struct Dice: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            self.state = self.state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return self.state ^ self.state >> 32
        }
    }

    @Test func `with any number behind it a name is one component of at most 255 bytes, and ends as it ended`() throws {
        var dice = Dice(state: 11)
        let letters = ["a", "é", "中", "👩‍👩‍👧", ".", " ", "(", ")", "-", "e\u{301}"]
        let endings = ["", ".txt", ".tar.gz", ".a-long-ending", "."]
        for _ in 0..<3000 {
            var text = "x"
            let most = Int.random(in: 1...255, using: &dice)
            while let letter = letters.randomElement(using: &dice), text.utf8.count + letter.utf8.count <= most {
                text += letter
            }
            let ending = endings.randomElement(using: &dice) ?? ""
            if text.utf8.count + ending.utf8.count <= 255 { text += ending }
            let name = try ComponentName(text)
            #expect(name.variant(0) == text)
            for number in [1, 9, 10, 12_345, .max] {
                let variant = name.variant(number)
                #expect(variant.utf8.count <= 255)
                #expect(variant.contains(" (\(number))"))
                #expect(try ComponentName(variant).text == variant)
                if text.hasSuffix(".tar.gz") { #expect(variant.hasSuffix(" (\(number)).tar.gz")) }
            }
            #expect(Set((0..<20).map(name.variant)).count == 20)
        }
    }
}
