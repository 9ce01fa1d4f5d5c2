import HTTP
import Testing

struct QualityListTests {
    @Test(arguments: [
        (["gzip"], 1_000), (["GZip ; Q=0.5"], 500), (["br, gzip;q=0.25", "x"], 250), (["br", "gzip;q=0"], 0),
        (["gzip;level=1;q=0.001"], 1), (["gzip;q=0.2, gzip;q=0.8"], 800), (["gzip;q=1.000"], 1_000), (["br"], nil),
        // Malformed elements do not count.
        (["gzip;q=2"], nil), (["gzip;q=1.001"], nil), (["gzip;q=0.1234"], nil), (["gzip;q="], nil), ([""], nil),
        (["gzip;q=-1, gzip;q=0.5"], 500),
    ])
    func `the highest weight of a value counts, in thousandths`(fields: [String], quality: Int?) {
        #expect(QualityList(fields).quality(of: ["gzip"]) == quality)
    }
}
